/** The lanes of all sessions, least recently used first out, each with its last body while there is room. */
import { CACHE_LIFETIME_MAX_MS } from "../cache/lifetime.ts";
import type { ReadBody } from "../dispatch/body-reader.ts";
import type { RowChain, RowHashes } from "../dispatch/row-chain.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { decideLane, findRewritten, type LaneDecision } from "../session/lane.ts";
import { BodyShelf, type NearestBody, type ShelvedBody } from "./body-shelf.ts";
import type { Journal } from "./journal.ts";

export interface Lane {
  readonly id: string;
  /** Namespace and the agent's session id: lanes of two owners never meet. */
  readonly owner: string;
  /** Without the rows: a lane outlives its body on the shelf, and would hold on to the whole of it. */
  readonly chain: RowHashes;
  readonly model: string | null;
  readonly lastAt: number;
  /** When a turn of this lane went out although a rejection was foreseen: it stays as the host sends it (DG-44). */
  readonly latchedAt: number | null;
}

export interface LaneJoin {
  readonly kind: "extends" | "repeats" | "forks" | "opens";
  readonly lane: Lane;
  /** Rows from the start that this process has seen in the lane before. */
  readonly rowsSeen: number;
  /** The request that this one follows, leaves or rewrites, where it is still known. */
  readonly before: BodyBefore | null;
}

export interface BodyBefore {
  /** Its bytes are whole until `keepBody`. */
  readonly body: ReadBody;
  readonly model: string | null;
}

export interface SeenTurn {
  readonly model: string | null;
  readonly now: number;
  /**
   * The id of a lane that opens with this turn, none that is taken.
   * @param left the lane whose history it leaves, where there is one
   */
  newLane(left: string | null, isTaken: (lane: string) => boolean): string;
}

const STREAM = "engine/lanes";

interface LaneOpened {
  readonly v: 1;
  readonly lane: string;
  /** Keyed chain hash behind the last row of the request that opened the lane. */
  readonly at: string;
}

/** The latch of a lane has closed, or opened again. */
interface LaneLatched {
  readonly v: 1;
  readonly lane: string;
  readonly latchedAt: number | null;
  readonly model: string | null;
}

/** Lanes that are known again after a restart; the oldest belong to sessions that ended long ago. */
const OPENED_MAX = 20_000;

/** Chains are a few hundred bytes a row; beyond this the oldest lane begins anew when it comes back. */
const LANES_MAX = 1_000;

/** Of one owner, only so many lanes are compared with a request. */
const COMPARED_MAX = 32;

export class Lanes {
  readonly #lanes = new BoundedMap<string, Lane>(LANES_MAX, undefined, (lane) => this.#leaveOwner(lane));
  /** The ids of each owner's lanes, the one used last behind the others. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #bodies = new BodyShelf();
  /** Lanes of earlier processes by the hash of the history that opened them (GW-13). */
  readonly #opened = new BoundedMap<string, string>(OPENED_MAX);
  /** Closed latches, of earlier processes too. */
  readonly #latched = new BoundedMap<string, LaneLatched>(OPENED_MAX);
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(): Promise<void> {
    await this.#journal.follow<LaneOpened | LaneLatched>(STREAM, (event) => {
      if ("at" in event) this.#opened.set(event.at, event.lane);
      else this.#applyLatch(event);
    });
  }

  /** The remembered body of this owner that shares the most bytes. */
  nearestBody(owner: string, bytes: Uint8Array): NearestBody | null {
    return this.#bodies.nearest(this.#comparedOf(owner), bytes);
  }

  join(owner: string, chain: RowChain, seen: SeenTurn): LaneJoin {
    const decision = decideLane(this.#ofOwner(owner), chain);
    const continues = decision.kind === "extends" || decision.kind === "repeats";
    const before = continues ? decision.lane : null;
    const left = decision.kind === "forks" ? decision.lane.id : null;
    const id = before?.id ?? this.#laneOf(chain, left, seen);
    // More words of the user behind the last ones, before any reply: a lane of its own, and no branch.
    const longer = decision.kind === "forks" && decision.rows === decision.lane.chain.hashes.length;
    const latch = this.#latched.get(longer ? decision.lane.id : id);
    const opens = latch === undefined || latchOpens(latch.model, before?.lastAt ?? latch.latchedAt, seen);
    const latchedAt = opens ? null : latch.latchedAt;
    if (latchedAt !== (this.#latched.get(id)?.latchedAt ?? null)) this.#setLatch(id, latchedAt, seen.model);
    const lane: Lane = {
      id,
      owner,
      chain: { hashes: chain.hashes },
      model: seen.model,
      lastAt: seen.now,
      latchedAt,
    };
    const previous = this.#bodyBefore(owner, chain, decision);
    this.#leaveOwner(lane);
    this.#owned.set(owner, (this.#owned.get(owner) ?? new Set()).add(lane.id));
    this.#lanes.set(lane.id, lane);
    return { kind: decision.kind, lane, rowsSeen: rowsSeenIn(decision), before: previous };
  }

  #bodyBefore(owner: string, chain: RowChain, decision: LaneDecision<Lane>): BodyBefore | null {
    const lane = decision.kind === "opens" ? this.#rewritten(owner, chain) : decision.lane;
    const shelved = lane === null ? null : this.#bodies.get(lane.id);
    return lane === null || shelved === null ? null : { body: shelved.body, model: lane.model };
  }

  #rewritten(owner: string, chain: RowChain): Lane | null {
    const lanes = this.#ofOwner(owner).flatMap((lane) => {
      const shelved = this.#bodies.peek(lane.id);
      return shelved === null ? [] : { lane, rows: shelved.chain.rows };
    });
    return findRewritten(lanes, chain.rows)?.lane ?? null;
  }

  /** @param nearest the remembered body that this one was read by */
  keepBody(lane: Lane, read: ShelvedBody, nearest: NearestBody | null): void {
    this.#bodies.put(lane.id, read, nearest);
  }

  /** The id under which an earlier process or another one opened this history, or a new one. */
  #laneOf(chain: RowHashes, left: string | null, seen: SeenTurn): string {
    const at = chain.hashes.at(-1);
    const known = left === null ? chain.hashes.findLast((hash) => this.#opened.has(hash)) : undefined;
    const id = known === undefined ? undefined : this.#opened.get(known);
    if (id !== undefined && !this.#lanes.has(id)) return id;
    const lane = seen.newLane(left, (other) => this.#lanes.peek(other) !== undefined);
    if (at !== undefined) {
      this.#opened.set(at, lane);
      this.#journal.write(STREAM, "session.lane.opened", { v: 1, lane, at } satisfies LaneOpened);
    }
    return lane;
  }

  latch(lane: Lane, now: number): void {
    if (!this.#latched.has(lane.id)) this.#setLatch(lane.id, now, lane.model);
  }

  /** A repair that the provider took is the prefix from now on. */
  unlatch(lane: Lane): void {
    if (this.#latched.has(lane.id)) this.#setLatch(lane.id, null, lane.model);
  }

  #setLatch(lane: string, latchedAt: number | null, model: string | null): void {
    const event: LaneLatched = { v: 1, lane, latchedAt, model };
    this.#applyLatch(event);
    this.#journal.write(STREAM, "session.lane.latched", event);
  }

  #applyLatch(event: LaneLatched): void {
    if (event.latchedAt === null) this.#latched.delete(event.lane);
    else this.#latched.set(event.lane, event);
    const lane = this.#lanes.peek(event.lane);
    if (lane !== undefined) this.#lanes.set(event.lane, { ...lane, latchedAt: event.latchedAt });
  }

  #leaveOwner({ id, owner }: Lane): void {
    const owned = this.#owned.get(owner);
    owned?.delete(id);
    if (owned?.size === 0) this.#owned.delete(owner);
  }

  #ofOwner(owner: string): Lane[] {
    return this.#comparedOf(owner).flatMap((id) => this.#lanes.peek(id) ?? []);
  }

  #comparedOf(owner: string): string[] {
    return [...(this.#owned.get(owner) ?? [])].slice(-COMPARED_MAX);
  }
}

function rowsSeenIn(decision: LaneDecision<Lane>): number {
  if (decision.kind === "opens") return 0;
  return decision.kind === "forks" ? decision.rows : decision.lane.chain.hashes.length;
}

/** A changed model or a cache that is surely gone: nothing is lost any more by another prefix. */
function latchOpens(model: string | null, lastAt: number | null, seen: SeenTurn): boolean {
  return model !== seen.model || seen.now - (lastAt ?? 0) > CACHE_LIFETIME_MAX_MS;
}
