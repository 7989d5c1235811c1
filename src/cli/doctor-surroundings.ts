/** What stands round the store: the agents of this machine, and the gateway that some of them may use. */
import { once } from "node:events";
import { connect } from "node:net";
import { type DoctorCheck, ok, warn } from "../report/doctor/doctor-check.ts";
import type { FoundHost } from "./found-hosts.ts";

interface GatewayPlace {
  readonly host: string;
  readonly port: number;
}

/** How settings of agents may spell the gateway. */
export function gatewayAddresses(place: GatewayPlace): readonly string[] {
  const own = addressOf(place);
  return place.host === "127.0.0.1" ? [own, `localhost:${place.port}`] : [own];
}

export function checkHosts(hosts: readonly FoundHost[]): readonly DoctorCheck[] {
  if (hosts.length === 0) return [ok("hosts", "no agent found on the PATH")];
  return hosts.map(checkHost);
}

function checkHost({ command, name, version, extension, source, usesGateway }: FoundHost): DoctorCheck {
  const id = `host_${command}`;
  const who = `${name} ${version ?? "(it does not say its version)"}`;
  if (extension === "missing") {
    return warn(
      id,
      `${who}, with an extension of Holdfast that is not there`,
      "its settings name a folder that does not exist: correct or remove the entry",
      source,
    );
  }
  const ways = [extension === "active" ? "the extension" : null, usesGateway ? "the gateway" : null];
  const named = ways.filter((way) => way !== null).join(" and ");
  return ok(id, `${who}, ${named === "" ? "without Holdfast" : `through ${named}`}`, source);
}

/** The gateway answers on loopback at once; one that needs longer is of no use to an agent either. */
const GATEWAY_WAIT_MS = 2_000;

export async function checkGateway(place: GatewayPlace, hosts: readonly FoundHost[]): Promise<DoctorCheck> {
  const id = "gateway";
  const address = addressOf(place);
  try {
    await connectTo(place);
    const answer = await fetch(`http://${address}/healthz`, { signal: AbortSignal.timeout(GATEWAY_WAIT_MS) });
    const health = (await answer.json()) as { readonly name?: unknown; readonly version?: unknown } | null;
    if (health?.name === "holdfast") return ok(id, `a gateway ${versionOf(health.version)} answers`, address);
  } catch {
    const users = hosts.filter(({ usesGateway }) => usesGateway).map(({ name }) => name);
    if (users.length === 0) return ok(id, "no gateway runs, and no agent is set to use it", address);
    const title = `no gateway answers, but ${users.join(", ")} ${users.length === 1 ? "is" : "are"} set to use it`;
    return warn(id, title, "they get no answer; start it: holdfast start", address);
  }
  return warn(
    id,
    "something else answers at the gateway's address",
    "start it on another port: holdfast start --port N",
    address,
  );
}

/**
 * Rejects where nobody listens, which is the usual case: `fetch` takes longer to load than the rest of the doctor.
 */
async function connectTo({ host, port }: GatewayPlace): Promise<void> {
  const socket = connect({ host, port, timeout: GATEWAY_WAIT_MS });
  socket.once("timeout", () => socket.destroy(new Error("no connection in time")));
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

function versionOf(said: unknown): string {
  return /^[\w.-]{1,40}$/.test(String(said)) ? String(said) : "(it does not say its version)";
}

function addressOf({ host, port }: GatewayPlace): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
