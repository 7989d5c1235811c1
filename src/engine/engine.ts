/**
 * The one object behind the gateway and the host extensions: it looks at a request before it leaves, at the answer when
 * it is complete, and counts. No method of it throws or refuses a turn.
 */
import type { Verdict } from "../dispatch/verdict.ts";
import type { Api, Backend, Upstream } from "../wire/api.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { Usage } from "../wire/response.ts";
import type { BodySha256 } from "./body-sha256.ts";
import type { Handover } from "./handovers.ts";
import type { InjectedBlock, Injection, InjectionSession } from "./injection.ts";
import type { PlannedPrefix } from "./planned-prefix.ts";
import type { HostTurn, PreparedTurn } from "./prepare-turn.ts";
import type { PreparedHistory } from "./shape-watch.ts";
import type { OwnAnswer } from "./thread-answer.ts";

export type Mode = "guard" | "observe";

/** One request as the gateway or a `fetch` wrapper sees it. */
export interface ObservedRequest {
  readonly upstream: Upstream;
  readonly mode: Mode;
  readonly method: string;
  /** Path and query below the upstream's base URL, with a leading slash. */
  readonly path: string;
  /** Lower-case names. Used for session ids, credentials (hashed at once) and Idempotency-Key; never stored. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The body as plain bytes: a compressed one has been inflated into a copy by the caller. Behind `observeResponse` its
   * memory is the caller's again.
   */
  readonly body: Uint8Array;
  /** What the host meant to send, where a hook could see it: only compared, never sent. */
  readonly prepared?: PreparedHistory;
  /** The plan of the run that this request belongs to: a prefix that is not as planned is a difference of the verdict. */
  readonly planned?: PlannedPrefix;
  /** Set where a host and a gateway on one store may both see this request: they are one session then. */
  readonly handover?: Handover;
}

/** What the engine made of a request. Content-free: safe to log and to show. */
export interface RequestRecord {
  readonly id: string;
  readonly at: number;
  readonly upstream: string;
  readonly api: Api | null;
  readonly backend: Backend;
  readonly model: string | null;
  /** Keyed hash, or null where no session was recognised. */
  readonly session: string | null;
  readonly lane: string | null;
  readonly bytes: number;
  readonly rows: number;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
  readonly edits: readonly RequestEdit[];
  /** Of a repaired request, and of one that a capture record was written for. */
  readonly bodySha256: BodySha256 | null;
}

export type Outcome = "sent" | "repaired" | "degraded";

export interface CheckedRequest {
  readonly record: RequestRecord;
  /** The very object that was given, unless these bytes were repaired. */
  readonly body: Uint8Array;
  /** The request before it, where the prompt prefix may have moved; null where it was kept, and for a new conversation. */
  readonly before: RequestBefore | null;
  /** Set where sending the request on would lose the conversation: what the client gets instead. */
  readonly ownAnswer: OwnAnswer | null;
}

/** As the client sent it. The bytes are a copy that belongs to whoever reads this. */
export type RequestBefore =
  | { readonly kind: "kept"; readonly bytes: Uint8Array<ArrayBuffer>; readonly model: string | null }
  /** The history has replies that came before this process, or its last body had to go for newer ones. */
  | { readonly kind: "not-kept" };

/** A complete answer, or as much of it as arrived before it ended. */
export interface ObservedResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Plain bytes (inflated), JSON or SSE; may be cut at the limit of `responseCopyBytesMax`. */
  readonly body: Uint8Array;
  readonly complete: boolean;
}

export interface Rejection {
  readonly rule: string | null;
  readonly path: string | null;
  readonly message: string;
  readonly bodySha256: BodySha256;
}

export interface ResponseRecord {
  readonly status: number;
  readonly usage: Usage | null;
  /** For a 4xx: the rule whose matcher recognises the text, the path that it names, and the text's first 300 characters redacted. */
  readonly rejection: Rejection | null;
}

export interface Engine {
  /**
   * A text that the caller puts into the requests of a session, and whether to put it in now. Asked before each request
   * that would carry it; the same text again changes nothing, another one under its name takes its place. The engine
   * watches that it is there once, unchanged, for as long as the conversation goes on; it never puts it in itself.
   */
  inject(session: InjectionSession, block: InjectedBlock): Injection;
  /** The block belongs into no further request of the session. What stands in its history may stay. */
  retire(session: InjectionSession, name: string): void;
  /** What a host's own array needs before it is encoded; its payload is checked as well. */
  prepareTurn<T>(turn: HostTurn<T>): PreparedTurn<T>;
  checkRequest(request: ObservedRequest): Promise<CheckedRequest>;
  /** A 400 or 422 before any byte reached the client. Returns other bytes to try once, or null (GW-10). */
  retryAfterRejection(checked: CheckedRequest, response: ObservedResponse): Promise<CheckedRequest | null>;
  observeResponse(checked: CheckedRequest, response: ObservedResponse): ResponseRecord;
  /** Counts one event of a closed list of names, also across restarts. */
  count(name: string, labels?: Readonly<Record<string, string>>): void;
  counters(): readonly Counter[];
  /** Writes down what is not in the store yet, as far as the store can be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface Counter {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}
