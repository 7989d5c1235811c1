/** What is sent to the upstream: the client's own bytes, unless the engine has returned other ones (GW-3). */
import type { CheckedRequest } from "../engine/engine.ts";
import { BODY_BYTES_MAX, type WholeRead } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { type Answer, sendUpstream } from "./forward.ts";
import { toHeaderRecord, toUpstreamHeaders, withNewBody } from "./headers.ts";
import { inflateCopy } from "./inflate.ts";
import type { PrefixEntry } from "./prefix-cause.ts";
import { toUpstreamPath } from "./routes.ts";
import { toWaitingTurn } from "./turn-log.ts";

/** The bytes of one attempt. `checked` is null for what was not looked at; `body` is null for what streams through. */
export interface Attempt {
  readonly checked: CheckedRequest | null;
  readonly body: Uint8Array | null;
  readonly headers: readonly string[];
  /** Found while the answer is awaited. */
  readonly prefix: Promise<PrefixEntry | null>;
}

const UNKNOWN_PREFIX = Promise.resolve(null);

export async function decideAttempt(exchange: Exchange, read: WholeRead): Promise<Attempt> {
  const { parts, target, path, mode, request } = exchange;
  const headers = toUpstreamHeaders(request.rawHeaders, target.host);
  if (read.kind === "unread") {
    parts.engine.count("gateway_unread", { reason: read.reason });
    return { checked: null, body: null, headers, prefix: UNKNOWN_PREFIX };
  }
  const plain = await inflateCopy(read.bytes, request.headers["content-encoding"], BODY_BYTES_MAX);
  if (plain === null) {
    parts.engine.count("gateway_unread", { reason: "encoding" });
    return { checked: null, body: read.bytes, headers, prefix: UNKNOWN_PREFIX };
  }
  const checked = await parts.engine.check({
    upstream: target.upstream,
    mode,
    method: request.method ?? "POST",
    path,
    headers: toHeaderRecord(request.headers),
    body: plain,
    handover: "take",
  });
  const prefix = checked === null ? UNKNOWN_PREFIX : findPrefix(exchange, checked, plain);
  if (checked === null || checked.body === plain) return { checked, body: read.bytes, headers, prefix };
  return repairedAttempt(checked, headers, prefix);
}

/** Is said as soon as it is found, while the answer is awaited; the turn says it once more when it has ended. */
async function findPrefix(
  { parts: { prefixes, turns, log }, response }: Exchange,
  checked: CheckedRequest,
  body: Uint8Array,
): Attempt["prefix"] {
  const prefix = await prefixes.find(checked, body);
  if (prefix === null) return null;
  const turn = toWaitingTurn(checked.record, prefix);
  log.prefix(turn);
  if (!response.closed) {
    turns.expect(turn);
    response.once("close", () => turns.giveUp(turn.id));
  }
  return prefix;
}

export function repairedAttempt(
  checked: CheckedRequest,
  headers: readonly string[],
  prefix: Attempt["prefix"],
): Attempt {
  return { checked, body: checked.body, headers: withNewBody(headers, checked.body.length), prefix };
}

export function sendAttempt(exchange: Exchange, attempt: Attempt, read: WholeRead): Promise<Answer> {
  const { parts, target, path, request, response } = exchange;
  return sendUpstream(parts.agents, {
    target,
    method: request.method ?? "GET",
    path: toUpstreamPath(target, path),
    headers: attempt.headers,
    client: response,
    writeBody(outgoing) {
      if (attempt.body !== null) {
        outgoing.end(attempt.body);
        return;
      }
      if (read.kind === "unread") for (const chunk of read.start) outgoing.write(chunk);
      request.pipe(outgoing);
    },
  });
}
