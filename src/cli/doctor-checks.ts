/** What `holdfast doctor` looks at, each as one record with advice. Looking changes nothing: a store is not made here. */
import { existsSync } from "node:fs";
import { isHoldfastError } from "../lib/error.ts";
import type { Diagnosis } from "../report/doctor/diagnosis.ts";
import { type DoctorCheck, fail, ok, plural, warn } from "../report/doctor/doctor-check.ts";
import { reportRules } from "../report/doctor/rule-report.ts";
import { checkSessions } from "../report/doctor/session-checks.ts";
import { findFileDamage } from "../report/doctor/sqlite-file.ts";
import {
  type OwnerFilter,
  type RecordedCapture,
  readRecords,
  type StoreRecords,
} from "../report/doctor/store-records.ts";
import { checkTurns } from "../report/doctor/turn-checks.ts";
import type { EventStore, StoreCheck } from "../store/event-store.ts";
import { openStore, withoutPassword } from "../store/open-store.ts";
import { checkGateway, checkHosts, gatewayAddresses } from "./doctor-surroundings.ts";
import { findHosts } from "./found-hosts.ts";
import { describeBytes } from "./output.ts";

export interface DoctorOptions {
  readonly store: string;
  /** Whose sessions are looked at; those of all owners where it is empty. */
  readonly whose: OwnerFilter;
  readonly host: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly folder: string;
}

/** The floor of `engines`: `node:sqlite` is sound from here on. */
const NODE_MIN = [22, 19] as const;

export async function diagnose(options: DoctorOptions): Promise<Diagnosis> {
  const { env, home, folder } = options;
  const [store, hosts] = await Promise.all([
    diagnoseStore(options),
    findHosts({ env, home, folder, gateway: gatewayAddresses(options) }),
  ]);
  const runtime = checkRuntime(process.versions);
  const gateway = await checkGateway(options, hosts);
  return {
    ...store,
    checks: [runtime, ...store.checks, ...checkHosts(hosts), gateway],
    isBroken: store.isBroken || runtime.status === "fail",
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

const NOTHING_STORED: Omit<Diagnosis, "checks"> = { counters: [], rules: [], captures: [], isBroken: false };

async function diagnoseStore({ store: url, whose }: DoctorOptions): Promise<Diagnosis> {
  const place = withoutPassword(url);
  const path = sqlitePath(url);
  if (path !== null && !existsSync(path)) {
    return { ...NOTHING_STORED, checks: [ok("store_integrity", "no store yet; the first start makes it", place)] };
  }
  const damage = path === null ? [] : findFileDamage(path);
  if (damage.length > 0) return { ...NOTHING_STORED, checks: [damaged(damage, place)] };
  let store: EventStore | null = null;
  try {
    store = await openStore(url);
    return await diagnoseOpenStore(store, whose, place);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const check = fail("store_integrity", `the store can't be used (${error.code})`, error.message);
    return { ...NOTHING_STORED, checks: [check], isBroken: true };
  } finally {
    await store?.close();
  }
}

/** The path of an embedded store, null for any other. */
export function sqlitePath(url: string): string | null {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : null;
}

async function diagnoseOpenStore(store: EventStore, whose: OwnerFilter, place: string): Promise<Diagnosis> {
  // Reading finds the records whose bytes have changed, which the look at the store then counts.
  const records = await readRecords(store, whose);
  const found = await store.check();
  const counters = await store.counts();
  const rules = reportRules(counters, records);
  const checks = [
    ...checkStore(found, place),
    checkRecords(records),
    ...checkTurns(counters, rules),
    ...checkSessions(records.sessions, counters),
  ];
  return { checks, counters, rules, captures: newestTrouble(records.captures), isBroken: false };
}

function checkStore(found: StoreCheck, place: string): readonly DoctorCheck[] {
  const aside = found.quarantinedEvents + found.quarantinedFiles.length;
  return [
    ok("store_integrity", `the ${found.kind} store is sound`, place),
    checkWriting(found),
    ok("store_schema", `schema ${found.schemaVersion}`),
    ok("store_size", `${describeBytes(found.bytes)}, ${found.streams} streams, ${found.events} events`),
    aside > 0
      ? warn(
          "store_quarantine",
          `${found.quarantinedEvents} records and ${found.quarantinedFiles.length} files were put aside as damaged`,
          "turns go on without them; look at the disk if the number grows",
          found.quarantinedFiles.join(", ") || null,
        )
      : ok("store_quarantine", "nothing was put aside as damaged"),
  ];
}

/** Damage was looked for before the store was opened; what is left are reasons why it takes no writes. */
function checkWriting({ locked, problems }: StoreCheck): DoctorCheck {
  if (problems.length > 0) {
    const advice = "turns go on, but what is learned is forgotten when a process ends: make it writable";
    return fail("store_lock", "the store can't be written", advice, problems.join("; "));
  }
  if (!locked) return ok("store_lock", "the store can be written");
  const advice = "turns go on; if it stays locked, end that program";
  return warn("store_lock", "another program holds the store's write lock", advice);
}

function damaged(problems: readonly string[], place: string): DoctorCheck {
  return fail(
    "store_integrity",
    `the store is damaged in ${plural(problems.length, "place")}`,
    "holdfast doctor --fix moves it aside, so that what is whole can be got out of it, and makes a new one",
    `${place}: ${problems.slice(0, 3).join("; ")}`,
  );
}

function checkRecords({ undecodable, read, isPartial }: StoreRecords): DoctorCheck {
  const title = isPartial ? `the first ${read} records were read` : `${plural(read, "record")} read`;
  if (undecodable.length === 0) return ok("store_records", title);
  return warn(
    "store_records",
    `${title}, ${undecodable.length} can't be decoded`,
    "holdfast doctor --fix puts them aside; until then their streams are not read behind them",
    [...new Set(undecodable.map(({ stream }) => stream))].slice(0, 5).join(", "),
  );
}

/** A report needs a few examples. */
const CAPTURES_SHOWN = 20;

function newestTrouble(captures: readonly RecordedCapture[]): readonly RecordedCapture[] {
  const isTrouble = ({ reasons, rejected }: RecordedCapture) =>
    reasons.includes("degraded") || (rejected !== null && rejected.rule === null);
  return captures.filter(isTrouble).slice(-CAPTURES_SHOWN).reverse();
}
