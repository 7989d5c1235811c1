/** One walk through the records of a store, and what a doctor wants to know of them. */
import type { CaptureRecord } from "../../engine/capture.ts";
import { ENGINE_OWNER } from "../../engine/journal.ts";
import { LOCAL_OWNER } from "../../engine/plan-store.ts";
import type { PowerChange } from "../../engine/rule-power.ts";
import { EPOCH_ROTATED, PLAN_CREATED } from "../../plan/plan-event.ts";
import { findSplitEpochs, type SplitEpoch } from "../../session/epoch-defects.ts";
import { type Epoch, epochNumber, readEpoch } from "../../session/session-plans.ts";
import type { EventStore, Owner, StoredEvent } from "../../store/event-store.ts";

export interface StoreRecords {
  /** The newest power of each rule and place. */
  readonly powers: ReadonlyMap<PowerChange["key"], PowerChange["power"]>;
  /** The newest last. */
  readonly captures: readonly RecordedCapture[];
  readonly sessions: readonly SessionSummary[];
  readonly undecodable: readonly UndecodableRecord[];
  readonly read: number;
  /** Whether there are more records than were read. */
  readonly isPartial: boolean;
}

export interface RecordedCapture extends CaptureRecord {
  readonly recordedAt: number;
}

/** Whose sessions are read: those of all owners, of a tenant's, of a principal in all tenants, or of one owner. */
export interface OwnerFilter {
  readonly tenant?: string | undefined;
  readonly principal?: string | undefined;
}

export interface SessionSummary {
  /** With its owner, where that is not who uses this machine alone. */
  readonly session: string;
  readonly epochs: number;
  /** Epochs whose plan cannot be read; the session went on behind them (PI-33). */
  readonly unreadable: number;
  readonly split: readonly SplitEpoch[];
  /** How often an epoch came back to a prefix that an earlier one had left: callers with different prefixes take turns. */
  readonly returns: number;
}

export interface UndecodableRecord {
  readonly owner: Owner;
  readonly stream: string;
  readonly version: number;
}

/** A person waits for the answer; a store with more has its newest sessions left out, and the report says so. */
const RECORDS_MAX = 200_000;
/** Plans are up to megabytes each: a page of them must fit in memory. */
const PAGE_EVENTS = 100;
/** A report shows a few captures. */
const CAPTURES_KEPT = 500;

/** @param whose the engine's own streams are read beside them */
export async function readRecords(store: EventStore, whose: OwnerFilter): Promise<StoreRecords> {
  const walk = new Walk();
  for await (const owner of ownersOf(store, whose)) {
    for await (const stream of streamsOf(store, owner)) {
      if (walk.isFull) break;
      const epochs: Epoch[] = [];
      for await (const event of eventsOf(store, owner, stream)) {
        walk.take(owner, event, epochs);
        if (walk.isFull) break;
      }
      if (epochs.length > 0) walk.sessions.push(summarise(owner, stream, epochs));
    }
  }
  return { ...walk, isPartial: walk.isFull };
}

class Walk {
  readonly powers = new Map<string, PowerChange["power"]>();
  readonly captures: RecordedCapture[] = [];
  readonly sessions: SessionSummary[] = [];
  readonly undecodable: UndecodableRecord[] = [];
  read = 0;

  get isFull(): boolean {
    return this.read >= RECORDS_MAX;
  }

  take(owner: Owner, event: StoredEvent, epochs: Epoch[]): void {
    this.read += 1;
    if (event.type === PLAN_CREATED || event.type === EPOCH_ROTATED) {
      const epoch = readEpoch(event.data);
      // Even a plan that cannot be read says its epoch, which must stay taken.
      if (epochNumber(epoch) > 0) epochs.push(epoch);
      else this.undecodable.push(toPlace(owner, event));
      return;
    }
    const data = parseObject(event.data);
    if (data === null) this.undecodable.push(toPlace(owner, event));
    else if (event.type === "rule.power.changed") this.#takePower(data as unknown as PowerChange);
    else if (event.type === "request.capture.recorded") this.#takeCapture(data as unknown as CaptureRecord, event);
  }

  #takePower({ key, power }: PowerChange): void {
    this.powers.set(key, power);
  }

  #takeCapture(record: CaptureRecord, { recordedAt }: StoredEvent): void {
    this.captures.push({ ...record, recordedAt });
    if (this.captures.length > CAPTURES_KEPT) this.captures.shift();
  }
}

function summarise(owner: Owner, stream: string, epochs: readonly Epoch[]): SessionSummary {
  const session = stream.slice(stream.indexOf("/") + 1);
  return {
    session: isSame(owner, LOCAL_OWNER) ? session : `${session} of ${owner.tenant}/${owner.principal}`,
    epochs: new Set(epochs.map(epochNumber)).size,
    unreadable: epochs.filter(({ kind }) => kind === "unreadable").length,
    split: findSplitEpochs(epochs),
    returns: countReturns(epochs.flatMap((epoch) => (epoch.kind === "plan" ? [epoch.plan.prefixSha256] : []))),
  };
}

function countReturns(prefixes: readonly string[]): number {
  const left = new Set<string>();
  let returns = 0;
  for (const [index, prefix] of prefixes.entries()) {
    const before = prefixes[index - 1];
    if (before === undefined || before === prefix) continue;
    left.add(before);
    if (left.has(prefix)) returns += 1;
  }
  return returns;
}

function toPlace(owner: Owner, { stream, version }: StoredEvent): UndecodableRecord {
  return { owner, stream, version };
}

function parseObject(data: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(data).toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    // Expected: a record that is no JSON. It is what is looked for here.
    return null;
  }
}

/** The engine first: a store with more records than are read has the newest sessions left out. */
async function* ownersOf(store: EventStore, { tenant, principal }: OwnerFilter): AsyncGenerator<Owner> {
  yield ENGINE_OWNER;
  for (let after: Owner | undefined; ; ) {
    const page = await store.listOwners(after === undefined ? {} : { after });
    for (const owner of page) {
      const isWanted = (tenant ?? owner.tenant) === owner.tenant && (principal ?? owner.principal) === owner.principal;
      if (isWanted && !isSame(owner, ENGINE_OWNER)) yield owner;
    }
    after = page.at(-1);
    if (after === undefined) return;
  }
}

function isSame(a: Owner, b: Owner): boolean {
  return a.tenant === b.tenant && a.principal === b.principal;
}

async function* streamsOf(store: EventStore, owner: Owner): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const page = await store.listStreams(owner, after === "" ? {} : { after });
    for (const { stream } of page) yield stream;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.stream;
  }
}

async function* eventsOf(store: EventStore, owner: Owner, stream: string): AsyncGenerator<StoredEvent> {
  for (let fromVersion = 1; ; ) {
    const page = await store.read(owner, stream, { fromVersion, limit: PAGE_EVENTS });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    fromVersion = last.version + 1;
  }
}
