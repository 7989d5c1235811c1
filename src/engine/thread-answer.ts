/**
 * `thread: continue` sends only what is new and counts on the server to hold the rest. A server that is not Anthropic's
 * own would answer without any context, with a 200. The words of the real API make the client send everything (DG-64).
 */
import type { JsonObject, WireRequest } from "../wire/request.ts";
import type { RequestTarget } from "./request-target.ts";

export interface OwnAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Null for every request that can go on. */
export function threadAnswer(request: WireRequest, target: RequestTarget): OwnAnswer | null {
  if (request.anchor?.kind !== "thread" || target.backend === "anthropic") return null;
  const message = "holdfast: this server keeps no message threads; send the full conversation.";
  const details = { error_code: "thread_unsupported_request" };
  return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message, details } } };
}
