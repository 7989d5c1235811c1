/**
 * How an extension inside an agent and the gateway in front of it are one session (GW-9): the extension writes down with
 * which history its lane begins in this process, as a keyed digest, and the gateway that sees this history takes the lane over.
 */
import { randomUUID } from "node:crypto";
import { type RowHashes, rowChainOf } from "../dispatch/row-chain.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import type { KeyedHash } from "../lib/keyed-hash.ts";
import type { WireRequest } from "../wire/request.ts";
import type { Journal } from "./journal.ts";

/** `give`: what follows this request may be a gateway on the same store. `take`: what came before it may be a host. */
export type Handover = "give" | "take";

interface LaneHanded {
  readonly v: 1;
  readonly lane: string;
  readonly session: string;
  /** Keyed hash of the history with which the host began, the same for host and gateway. */
  readonly digest: string;
}

export interface LaneOpening {
  readonly handover: Handover | undefined;
  /** Keyed hash of the agent's own session id; null where it sends none. */
  readonly session: string | null;
  /** The lane whose history this one leaves. */
  readonly left: string | null;
  /** Whether this process has such a lane, with another history. */
  isTaken(lane: string): boolean;
}

interface UnderWay {
  readonly lane: string;
  readonly at: number;
}

const STREAM = "engine/handovers";

/** As many as lanes that are known again after a restart. */
const LANES_MAX = 20_000;

/** Requests under way from a host to a gateway, of all agents of the machine. */
const UNDER_WAY_MAX = 256;

/** Host and gateway see a request within this time. What is older never came, and another may begin alike. */
const UNDER_WAY_MS = 10_000;

/** The first request of a session waits for the store no longer than this; a commit takes 10 ms, on a busy disk 100. */
const FIRST_WAIT_MS = 250;

/** Any other request waits no longer than this (DG-74): it may open a lane too. */
const WAIT_MS = 50;

export class Handovers {
  readonly #journal: Journal;
  readonly #hash: KeyedHash;
  readonly #clock: Clock;
  /** Session of each lane that a host has handed on. */
  readonly #sessions = new BoundedMap<string, string>(LANES_MAX);
  /** Lanes that no gateway has taken yet, by digest; and lanes of a gateway that found none to take. */
  readonly #given = new BoundedMap<string, UnderWay>(UNDER_WAY_MAX);
  readonly #missed = new BoundedMap<string, UnderWay>(UNDER_WAY_MAX);
  /** What this process has handed on itself. */
  readonly #handed = new BoundedMap<string, true>(LANES_MAX);
  /** Who has sent something before. */
  readonly #owners = new BoundedMap<string, true>(LANES_MAX);
  /** Resolves when the last lane that was handed on is in the store. */
  #written: Promise<void> | null = null;

  constructor(journal: Journal, hash: KeyedHash, clock: Clock) {
    this.#journal = journal;
    this.#hash = hash;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    await this.#journal.follow<LaneHanded>(STREAM, (handed) => this.#hear(handed));
  }

  #hear({ lane, session, digest }: LaneHanded): void {
    this.#sessions.set(lane, session);
    const missed = this.#take(this.#missed, digest);
    // The request was here before the store had it: the gateway's lane keeps its name, and is the host's session now.
    if (missed !== null) this.#hand(missed, session, digest);
    else this.#given.set(digest, { lane, at: this.#clock.now() });
  }

  /** The session of the host that a lane belongs to, or null. */
  sessionOf(lane: string): string | null {
    return this.#sessions.get(lane) ?? null;
  }

  /** The id for a lane that opens with this request: a new one, or the one that a host gave it. */
  openLane(request: WireRequest, { handover, session, left, isTaken }: LaneOpening): string {
    const lane = randomUUID();
    if (handover === undefined) return lane;
    const digest = this.#digestOf(request);
    if (handover === "give") return this.#hand(lane, session ?? lane, digest);
    const given = this.#take(this.#given, digest);
    if (given !== null && !isTaken(given)) return given;
    // A host that began anew goes on with its lane where the gateway, which remembers more, sees a branch.
    const before = this.sessionOf(given ?? left ?? "");
    if (before !== null) return this.#hand(lane, before, digest);
    this.#missed.set(digest, { lane, at: this.#clock.now() });
    return lane;
  }

  /** A lane that another process began, or that had no gateway then: one may be there by now. */
  goOn(request: WireRequest, { id, session }: { readonly id: string; readonly session: string | null }): void {
    if (!this.#handed.has(id)) this.#hand(id, this.sessionOf(id) ?? session ?? id, this.#digestOf(request));
  }

  #hand(lane: string, session: string, digest: string): string {
    this.#sessions.set(lane, session);
    this.#handed.set(lane, true);
    this.#journal.write(STREAM, "session.lane.handed", { v: 1, lane, session, digest } satisfies LaneHanded);
    this.#written = this.#journal.written();
    return lane;
  }

  /** Once: two requests that begin alike are two conversations. */
  #take(from: BoundedMap<string, UnderWay>, digest: string): string | null {
    const found = from.get(digest);
    from.delete(digest);
    return found !== undefined && this.#clock.now() - found.at <= UNDER_WAY_MS ? found.lane : null;
  }

  /** Before a host lets a request go: what it hands on is in the store. */
  async reachGateway(): Promise<void> {
    const written = this.#written;
    this.#written = null;
    if (written !== null) await atMost(FIRST_WAIT_MS, written);
  }

  /** Before a gateway looks at a request: what was handed on is known. */
  async hearHosts(owner: string): Promise<void> {
    const isFirst = this.#owners.get(owner) === undefined;
    this.#owners.set(owner, true);
    // Where no host has ever been, nothing but a new session is worth a look.
    if (!isFirst && this.#sessions.count === 0) return;
    await atMost(isFirst ? FIRST_WAIT_MS : WAIT_MS, this.#journal.refresh(STREAM));
  }

  #digestOf({ api, rows }: WireRequest): string {
    const { hashes }: RowHashes = rowChainOf(rows, this.#hash("handover", api), null);
    return hashes.at(-1) ?? "";
  }
}

async function atMost(waitMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, waitMs);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
