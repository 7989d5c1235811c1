/**
 * Whether a conversation carries the blocks that somebody injected (DG-44, DG-62). Pure: the memory is a value. A
 * conversation that has lost one goes on without it until its prefix is another one anyway, so that prefixes with and
 * without the block never alternate.
 */
import { CACHE_LIFETIME_MAX_MS } from "../cache/lifetime.ts";
import type { LaneView } from "./lane.ts";

export interface Conversation extends LaneView {
  readonly model: string | null;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  /** Names of the blocks that it has carried, as keyed hashes. */
  readonly carried: ReadonlySet<string>;
  /** Since when it goes on without one of them; null where it is managed. */
  readonly latchedAt: number | null;
}

export type CarriedState = Pick<Conversation, "model" | "lastAt" | "carried" | "latchedAt">;

export const NEW_CONVERSATION: CarriedState = { model: null, lastAt: 0, carried: new Set(), latchedAt: null };

/** At the start of a request: another model, or a cache that is surely gone, opens the latch. */
export function beforeTurn(state: CarriedState, model: string | null, now: number): CarriedState {
  if (state.latchedAt === null) return state;
  const opens = state.model !== model || now - state.lastAt > CACHE_LIFETIME_MAX_MS;
  return opens ? { ...state, carried: new Set(), latchedAt: null } : state;
}

export interface SeenBlocks {
  readonly model: string | null;
  readonly now: number;
  /** Names of the blocks that are in the request. */
  readonly present: ReadonlySet<string>;
  /** One that belongs into it is lost, rewritten, or of an older version. */
  readonly broken: boolean;
}

export function afterTurn(state: CarriedState, { model, now, present, broken }: SeenBlocks): CarriedState {
  const latchedAt = state.latchedAt ?? (broken ? now : null);
  const carried = latchedAt === null ? new Set([...state.carried, ...present]) : state.carried;
  return { model, lastAt: now, carried, latchedAt };
}

/** Blocks without which this conversation cannot go on: none while it is known to go on without. */
export function requiredOf({ carried, latchedAt }: CarriedState, held: Iterable<string>): string[] {
  return latchedAt === null ? [...held].filter((name) => carried.has(name)) : [];
}
