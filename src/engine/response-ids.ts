/**
 * Which answer each conversation ended with, so that a request that sends only what is new can be told to go on from
 * there (DG-61). In memory only: an anchor from before a restart is known to nobody, and is left alone.
 */
import { BoundedMap } from "../lib/bounded-map.ts";

export type AnchorState =
  /** The last accepted answer of its conversation. */
  | { readonly kind: "last"; readonly conversation: string }
  /** An earlier one, or none of this session. */
  | { readonly kind: "stale" | "forged" }
  /** Not all answers of this session were seen here. */
  | { readonly kind: "unknown" };

interface SessionAnswers {
  /** Conversation by the id of an answer. */
  readonly conversations: BoundedMap<string, string>;
  readonly last: BoundedMap<string, string>;
  /** All answers of this session are known: none came before this process, and none without an id. */
  whole: boolean;
}

/** As many as sessions with blocks. */
const SESSIONS_MAX = 1_000;

/** Of one session; an older answer is not told from a forged one. */
const ANSWERS_MAX = 1_000;

export class ResponseIds {
  readonly #sessions = new BoundedMap<string, SessionAnswers>(SESSIONS_MAX);

  /** A session of which nothing was known before this process. */
  begin(session: string): void {
    if (!this.#sessions.has(session)) this.#sessions.set(session, empty(true));
  }

  accepted(session: string, conversation: string, id: string | null): void {
    const known = this.#sessions.get(session) ?? empty(false);
    this.#sessions.set(session, known);
    if (id === null) {
      known.whole = false;
      return;
    }
    known.conversations.set(id, conversation);
    known.last.set(conversation, id);
  }

  stateOf(session: string, anchor: string): AnchorState {
    const known = this.#sessions.get(session);
    const conversation = known?.conversations.get(anchor);
    if (known === undefined || (conversation === undefined && !known.whole)) return { kind: "unknown" };
    if (conversation === undefined) return { kind: "forged" };
    return known.last.get(conversation) === anchor ? { kind: "last", conversation } : { kind: "stale" };
  }
}

function empty(whole: boolean): SessionAnswers {
  return { conversations: new BoundedMap(ANSWERS_MAX), last: new BoundedMap(ANSWERS_MAX), whole };
}
