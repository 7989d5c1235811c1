/**
 * The conversations of sessions that carry injected blocks, told apart by their histories without the blocks. What is
 * known of one outlives the process under the keyed hash of the history up to which it was so.
 */
import { randomUUID } from "node:crypto";
import { CACHE_LIFETIME_MAX_MS } from "../cache/lifetime.ts";
import type { RowChain, RowHashes } from "../dispatch/row-chain.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { type CarriedState, type Conversation, NEW_CONVERSATION } from "../session/conversation.ts";
import { decideLane } from "../session/lane.ts";
import type { Journal } from "./journal.ts";

/** A conversation that a request goes on with, as it was before, or one that begins. */
export interface JoinedConversation {
  readonly id: string;
  readonly state: CarriedState;
  readonly continues: boolean;
  /** There is a reply more than before: a side request may be repeated, and is not gone on with. */
  readonly goesOn: boolean;
}

/** What a conversation carries has changed, or whether it goes on without. */
interface PrefixNoted {
  readonly v: 1;
  readonly session: string;
  /** Keyed chain hash of the history without the blocks. */
  readonly at: string;
  readonly model: string | null;
  readonly carried: readonly string[];
  readonly latchedAt: number | null;
  readonly notedAt: number;
}

interface KeptConversation extends Conversation {
  /** Its state is in the journal. */
  readonly noted: boolean;
}

interface SessionConversations {
  /** The one used last behind the others. */
  readonly all: readonly KeptConversation[];
  /** The one that the session goes on with: a side request that is never continued is not it. */
  readonly current: string | null;
}

const STREAM = "engine/prefixes";
const NOTED = "session.prefix.noted";

/** As many as sessions with blocks. */
const SESSIONS_MAX = 1_000;

/** Of one session, only so many are compared with a request. */
const CONVERSATIONS_MAX = 32;

/** Notes of earlier processes; the oldest belong to sessions that ended. */
const NOTES_MAX = 20_000;

const NONE: SessionConversations = { all: [], current: null };

export class Conversations {
  readonly #sessions = new BoundedMap<string, SessionConversations>(SESSIONS_MAX);
  /** What other processes noted, by the hash of the history. */
  readonly #notes = new BoundedMap<string, PrefixNoted>(NOTES_MAX);
  readonly #lastNotes = new BoundedMap<string, PrefixNoted>(SESSIONS_MAX);
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(): Promise<void> {
    const take = (note: PrefixNoted) => {
      this.#notes.set(note.at, note);
      this.#lastNotes.set(note.session, note);
    };
    await this.#journal.follow<PrefixNoted>(STREAM, take, { type: NOTED, eventsMax: NOTES_MAX });
  }

  join(session: string, chain: RowChain): JoinedConversation {
    const { all } = this.#sessions.get(session) ?? NONE;
    const decision = decideLane(all, chain);
    const known = decision.kind === "opens" ? null : decision.lane;
    // Words of the user behind the last ones, before any reply, are no branch.
    const longer = decision.kind === "forks" && decision.rows === known?.chain.hashes.length;
    if (known !== null && (decision.kind !== "forks" || longer)) {
      return { id: known.id, state: known, continues: true, goesOn: decision.kind === "extends" };
    }
    const state = decision.kind === "opens" ? this.#noteOf(session, chain) : null;
    return { id: randomUUID(), state: state ?? NEW_CONVERSATION, continues: state !== null, goesOn: state !== null };
  }

  /** @param joined as `join` returned it for the same chain */
  keep(session: string, chain: RowHashes, joined: JoinedConversation, state: CarriedState, hasReply: boolean): void {
    const { all, current } = this.#sessions.get(session) ?? NONE;
    const before = all.find(({ id }) => id === joined.id);
    const same = before?.noted === true && isSame(before, state);
    const notes = !same && hasReply && (before !== undefined || state.carried.size > 0 || state.latchedAt !== null);
    if (notes) this.#note(session, chain, state);
    const kept = { ...state, id: joined.id, chain: { hashes: chain.hashes }, noted: same || notes };
    const others = all.filter(({ id }) => id !== joined.id);
    const next = joined.goesOn ? joined.id : current;
    this.#sessions.set(session, { all: [...others, kept].slice(-CONVERSATIONS_MAX), current: next });
  }

  /** A request of which only the end was sent. */
  touch(session: string, conversation: string, now: number): void {
    const known = this.#sessions.get(session);
    if (known === undefined) return;
    const all = known.all.map((one) => (one.id === conversation ? { ...one, lastAt: now } : one));
    this.#sessions.set(session, { ...known, all });
  }

  /** Whether the session's next request belongs to a conversation that goes on without its blocks, and since when. */
  latchedSince(session: string, now: number): number | null {
    const { all, current } = this.#sessions.get(session) ?? NONE;
    const note = this.#lastNotes.get(session);
    const state = all.find(({ id }) => id === current) ?? (note === undefined ? null : stateOf(note));
    if (state === null || now - state.lastAt > CACHE_LIFETIME_MAX_MS) return null;
    return state.latchedAt;
  }

  /** What an earlier process noted of this history; once, because what follows is known here. */
  #noteOf(session: string, chain: RowHashes): CarriedState | null {
    if (this.#notes.count === 0) return null;
    const at = chain.hashes.findLast((hash) => this.#notes.peek(hash)?.session === session);
    if (at === undefined) return null;
    const note = this.#notes.get(at)!;
    this.#notes.delete(at);
    return stateOf(note);
  }

  #note(session: string, { hashes }: RowHashes, state: CarriedState): void {
    const at = hashes.at(-1);
    if (at === undefined) return;
    const { model, latchedAt, lastAt } = state;
    const carried = [...state.carried].toSorted((a, b) => (a < b ? -1 : 1));
    const note: PrefixNoted = { v: 1, session, at, model, carried, latchedAt, notedAt: lastAt };
    this.#journal.write(STREAM, NOTED, note);
  }
}

function stateOf({ model, carried, latchedAt, notedAt }: PrefixNoted): CarriedState {
  return { model, carried: new Set(carried), latchedAt, lastAt: notedAt };
}

function isSame(a: CarriedState, b: CarriedState): boolean {
  return (
    a.latchedAt === b.latchedAt &&
    a.carried.size === b.carried.size &&
    [...a.carried].every((name) => b.carried.has(name))
  );
}
