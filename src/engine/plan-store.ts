/** Plans, memory snapshots and pins in the event store: each question and each write has one function here. */
import { type PinState, UNPINNED } from "../authority/pins.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { canonicalBytes } from "../lib/canonical-json.ts";
import { parseJsonText } from "../lib/canonical-json-text.ts";
import { sha256Hex } from "../lib/sha256.ts";
import type { ContextPlan } from "../plan/context-plan.ts";
import { EPOCH_ROTATED, encodePlanEvent, PLAN_CREATED, type PlanEvent } from "../plan/plan-event.ts";
import { snapshotOf } from "../plan/prefix-rows.ts";
import { type Epoch, readEpoch, type SessionPlans } from "../session/session-plans.ts";
import type { AppendResult, EventStore, Owner, StoredEvent } from "../store/event-store.ts";

const SNAPSHOT_STORED = "context.snapshot.stored";
const CHECKPOINT_SAVED = "run.checkpoint.saved";

/** Whose sessions they are where one person uses one machine. */
export const LOCAL_OWNER: Owner = { tenant: "local", principal: "local" };

/** Decoded plans by position. Which epoch is the newest is asked of the store each time (PI-22). */
type DecodedPlans = BoundedMap<number, { readonly data: Uint8Array; readonly epoch: Epoch }>;

const DECODED_MAX = 256;
const decodedPlans = new WeakMap<EventStore, DecodedPlans>();

export interface LoadedPlans {
  readonly plans: SessionPlans;
  /** Version of the newest plan event, 0 where there is none. */
  readonly version: number;
}

export interface LoadedPins {
  readonly pinState: PinState;
  readonly version: number;
}

export class PlanStore {
  readonly #store: EventStore;
  readonly #owner: Owner;
  readonly #decoded: DecodedPlans;

  constructor(store: EventStore, owner: Owner) {
    this.#store = store;
    this.#owner = owner;
    this.#decoded = decodedPlans.get(store) ?? new BoundedMap(DECODED_MAX);
    decodedPlans.set(store, this.#decoded);
  }

  async newestPlan(session: string): Promise<LoadedPlans> {
    const stream = sessionStream(session);
    const [created, rotated] = await Promise.all([
      this.#store.latest(this.#owner, stream, PLAN_CREATED),
      this.#store.latest(this.#owner, stream, EPOCH_ROTATED),
    ]);
    const newest = (rotated?.version ?? 0) > (created?.version ?? 0) ? rotated : created;
    return newest === undefined
      ? { plans: [], version: 0 }
      : { plans: [this.#decode(newest)], version: newest.version };
  }

  /** Every epoch of the session, for a run that is pinned to an older one, and for people. */
  async allPlans(session: string): Promise<LoadedPlans> {
    const plans: Epoch[] = [];
    let version = 0;
    for await (const event of this.#events(sessionStream(session))) {
      if (event.type !== PLAN_CREATED && event.type !== EPOCH_ROTATED) continue;
      plans.push(this.#decode(event));
      version = event.version;
    }
    return { plans, version };
  }

  appendPlan(session: string, expectedVersion: number, event: PlanEvent): Promise<AppendResult> {
    return this.#store.append(this.#owner, sessionStream(session), expectedVersion, [encodePlanEvent(event)]);
  }

  /** Under its hash, so that a second write of the same text adds nothing; one that was taken out comes back. */
  async saveSnapshot(text: string): Promise<void> {
    const stream = snapshotStream(sha256Hex(text));
    if ((await this.#store.latest(this.#owner, stream, SNAPSHOT_STORED)) !== undefined) return;
    const events = [{ type: SNAPSHOT_STORED, data: canonicalBytes({ v: 1, text }) }];
    const result = await this.#store.append(this.#owner, stream, 0, events);
    // A second conflict is another worker that stores the same text.
    if (result.kind === "conflict") await this.#store.append(this.#owner, stream, result.version, events);
  }

  /** Returns whether the text was there. Whoever refers to it builds another plan at the next start. */
  async eraseSnapshot(sha256: string): Promise<boolean> {
    return (await this.#store.eraseStream(this.#owner, snapshotStream(sha256))) > 0;
  }

  /** Null where the plan has no snapshot, and where its text is gone. */
  async snapshotText(plan: ContextPlan | null): Promise<string | null> {
    const sha256 = plan === null ? null : snapshotOf(plan.prefix.conversation);
    if (sha256 === null) return null;
    const event = await this.#store.latest(this.#owner, snapshotStream(sha256), SNAPSHOT_STORED);
    if (event === undefined) return null;
    const { text } = parseJsonText(event.data) as { text: string };
    return sha256Hex(text) === sha256 ? text : null;
  }

  async pinState(run: string): Promise<LoadedPins> {
    const event = await this.#store.latest(this.#owner, runStream(run), CHECKPOINT_SAVED);
    if (event === undefined) return { pinState: UNPINNED, version: 0 };
    const { v: _, ...pinState } = parseJsonText(event.data) as PinState & { v: number };
    return { pinState: { ...UNPINNED_LEGACY, ...pinState }, version: event.version };
  }

  savePinState(run: string, expectedVersion: number, pinState: PinState): Promise<AppendResult> {
    const data = canonicalBytes({ v: 1, ...pinState });
    return this.#store.append(this.#owner, runStream(run), expectedVersion, [{ type: CHECKPOINT_SAVED, data }]);
  }

  /** Counting is not worth a run: the plan is stored already. */
  async count(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#store.addCounts([{ name, labels, count: 1 }]).catch(() => {});
  }

  /** The same bytes give the same object, of which what was proven once need not be proven again (PI-16). */
  #decode({ position, data }: StoredEvent): Epoch {
    const known = this.#decoded.get(position);
    if (known !== undefined && Buffer.compare(known.data, data) === 0) return known.epoch;
    const epoch = readEpoch(data);
    this.#decoded.set(position, { data, epoch });
    return epoch;
  }

  async *#events(stream: string): AsyncGenerator<StoredEvent> {
    for (let fromVersion = 1; ; ) {
      const page = await this.#store.read(this.#owner, stream, { fromVersion });
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      fromVersion = last.version + 1;
    }
  }
}

/** An old checkpoint says nothing about the flag, which is not the same as false. */
const UNPINNED_LEGACY: PinState = { pins: null, pendingCalls: [] };

export function sessionStream(session: string): string {
  return `session/${session}`;
}

function runStream(run: string): string {
  return `run/${run}`;
}

function snapshotStream(sha256: string): string {
  return `snapshot/${sha256}`;
}
