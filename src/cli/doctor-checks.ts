/** What `holdfast doctor` looks at, each as one record with advice. Looking changes nothing: a store is not made here. */
import { existsSync } from "node:fs";
import { isHoldfastError } from "../lib/error.ts";
import type { EventStore } from "../store/event-store.ts";
import { openStore, withoutPassword } from "../store/open-store.ts";
import { type FoundHost, findHosts } from "./found-hosts.ts";
import { describeBytes } from "./output.ts";

export interface DoctorCheck {
  readonly id: string;
  readonly title: string;
  readonly status: "ok" | "warn" | "fail";
  /** What to do; null where there is nothing. */
  readonly advice: string | null;
}

export interface Diagnosis {
  readonly checks: readonly DoctorCheck[];
  readonly counters: Awaited<ReturnType<EventStore["counts"]>>;
}

export interface DoctorOptions {
  readonly store: string;
  readonly host: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The floor of `engines`: `node:sqlite` is sound from here on. */
const NODE_MIN = [22, 19] as const;

export async function diagnose(options: DoctorOptions): Promise<Diagnosis> {
  const [store, hosts, gateway] = await Promise.all([
    checkStore(options.store),
    findHosts(options.env),
    checkGateway(options),
  ]);
  return {
    checks: [checkRuntime(process.versions), ...store.checks, ...checkHosts(hosts), gateway],
    counters: store.counters,
  };
}

export function checkRuntime(versions: Readonly<Record<string, string | undefined>>): DoctorCheck {
  const id = "runtime";
  const { platform, arch } = process;
  if (versions.bun !== undefined) return ok(id, `Bun ${versions.bun} on ${platform} ${arch}`);
  const [major = 0, minor = 0] = (versions.node ?? "").split(".").map(Number);
  const title = `Node ${versions.node} on ${platform} ${arch}`;
  const isOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  return isOld ? fail(id, title, `use Node ${NODE_MIN.join(".")} or newer`) : ok(id, title);
}

async function checkStore(url: string): Promise<Diagnosis> {
  const name = withoutPassword(url);
  if (url.startsWith("sqlite:") && !existsSync(url.slice("sqlite:".length))) {
    return { checks: [ok("store_integrity", `no store yet at ${name}; the first start makes it`)], counters: [] };
  }
  let store: EventStore | null = null;
  try {
    store = await openStore(url);
    return { checks: await checkOpenStore(store), counters: await store.counts() };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { checks: [fail("store_integrity", `the store ${name} can't be used`, error.message)], counters: [] };
  } finally {
    await store?.close();
  }
}

async function checkOpenStore(store: EventStore): Promise<readonly DoctorCheck[]> {
  const found = await store.check();
  const damaged = found.quarantinedEvents + found.quarantinedFiles.length;
  return [
    found.problems.length > 0
      ? fail(
          "store_integrity",
          `the store ${found.location} is damaged: ${found.problems.slice(0, 3).join("; ")}`,
          "copy it away and restart; turns go on without it",
        )
      : ok("store_integrity", `the store ${found.location} is sound`),
    found.locked
      ? warn(
          "store_lock",
          "another program holds the store's write lock",
          "turns go on; if it stays locked, end that program",
        )
      : ok("store_lock", "the store can be written"),
    ok("store_schema", `schema ${found.schemaVersion}`),
    ok("store_size", `${describeBytes(found.bytes)}, ${found.streams} streams, ${found.events} events`),
    damaged > 0
      ? warn(
          "store_quarantine",
          `${found.quarantinedEvents} events and ${found.quarantinedFiles.length} files were put aside as damaged`,
          "nothing to do; the files may be removed",
        )
      : ok("store_quarantine", "nothing was put aside as damaged"),
  ];
}

function checkHosts(hosts: readonly FoundHost[]): readonly DoctorCheck[] {
  if (hosts.length === 0) return [ok("hosts", "no agent found on the PATH")];
  return hosts.map((host) =>
    ok(`host_${host.command}`, `${host.name} ${host.version ?? "(it does not say its version)"}`),
  );
}

/** The gateway answers on loopback at once; one that needs longer is of no use to an agent either. */
const GATEWAY_WAIT_MS = 2_000;

async function checkGateway({ host, port }: DoctorOptions): Promise<DoctorCheck> {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    const answer = await fetch(`http://${place}/healthz`, { signal: AbortSignal.timeout(GATEWAY_WAIT_MS) });
    const health = (await answer.json()) as { readonly name?: unknown; readonly version?: unknown } | null;
    if (health?.name === "holdfast") return ok("gateway", `a gateway ${health.version} answers at ${place}`);
    return warn(
      "gateway",
      `something else answers at ${place}`,
      "start the gateway on another port: holdfast start --port N",
    );
  } catch {
    return warn(
      "gateway",
      `no gateway answers at ${place}`,
      "agents that use it get no answer; start it: holdfast start",
    );
  }
}

function ok(id: string, title: string): DoctorCheck {
  return { id, title, status: "ok", advice: null };
}

function warn(id: string, title: string, advice: string): DoctorCheck {
  return { id, title, status: "warn", advice };
}

function fail(id: string, title: string, advice: string): DoctorCheck {
  return { id, title, status: "fail", advice };
}
