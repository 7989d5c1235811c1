/**
 * Brings the answer back: streams it through and lets the engine look at a copy; a rejection that the engine can do
 * something about is kept back for one more attempt (GW-5, GW-10).
 */
import type { IncomingMessage } from "node:http";
import type { CheckedRequest, ObservedResponse } from "../engine/engine.ts";
import { type Attempt, repairedAttempt, sendAttempt } from "./attempt.ts";
import type { WholeRead } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer } from "./forward.ts";
import { toHeaderRecord } from "./headers.ts";
import { sendOwnError } from "./provider-error.ts";
import { holdRejection, mayRetry } from "./rejection.ts";
import { relayResponse } from "./relay.ts";
import { createResponseCopy, type ResponseCopy } from "./response-copy.ts";
import { type TurnEnd, toTurnEntry } from "./turn-log.ts";

/** Brings the answer to the client, or says that there is none. */
export async function bringAnswer(
  exchange: Exchange,
  attempt: Attempt,
  read: WholeRead,
  answer: Answer,
): Promise<void> {
  if (answer.kind !== "response") return endWithoutAnswer(exchange, attempt, answer);
  const { checked } = attempt;
  if (checked === null || !mayRetry(exchange.mode, exchange.request, answer.response)) {
    return await relayAnswer(exchange, attempt, answer.response, []);
  }
  const start = await holdRejection(answer.response);
  if (!answer.response.complete) return await relayAnswer(exchange, attempt, answer.response, start);
  const rejected = await observedResponse(answer.response, copyOf(start), true);
  const explained = exchange.parts.engine.observe(checked, rejected);
  const second = await retry(exchange, attempt, checked, rejected, read);
  if (second !== null) return await relayAnswer(exchange, second.attempt, second.response, []);
  const complete = await relayResponse(answer.response, exchange.response, start, () => {});
  note(exchange, attempt, { status: rejected.status, error: null, complete, response: explained });
}

/** One more attempt, where the engine has other bytes to try. Null where it does not help: the first answer stands. */
async function retry(
  exchange: Exchange,
  first: Attempt,
  checked: CheckedRequest,
  rejected: ObservedResponse,
  read: WholeRead,
): Promise<{ attempt: Attempt; response: IncomingMessage } | null> {
  const { engine } = exchange.parts;
  const retried = await engine.retry(checked, rejected);
  if (retried === null) return null;
  const attempt = repairedAttempt(retried, first.headers, first.prefix);
  const answer = await sendAttempt(exchange, attempt, read);
  if (answer.kind !== "response") return null;
  if ((answer.response.statusCode ?? 500) < 400) return { attempt, response: answer.response };
  const start = await holdRejection(answer.response);
  engine.observe(retried, await observedResponse(answer.response, copyOf(start), answer.response.complete));
  answer.response.destroy();
  return null;
}

function endWithoutAnswer(exchange: Exchange, attempt: Attempt, answer: Exclude<Answer, { kind: "response" }>): void {
  const { parts, target, path, response } = exchange;
  const code = answer.kind === "failed" ? answer.failure.code : null;
  if (answer.kind === "failed") {
    parts.engine.count("gateway_upstream_failed", { code: answer.failure.code });
    sendOwnError(response, { status: 502, ...answer.failure }, target.upstream, path);
  }
  note(exchange, attempt, { status: code === null ? null : 502, error: code, complete: false, response: null });
}

/** Streams the answer through, then lets the engine look at the copy. */
async function relayAnswer(
  exchange: Exchange,
  attempt: Attempt,
  from: IncomingMessage,
  start: readonly Buffer[],
): Promise<void> {
  const copy = createResponseCopy(attempt.checked !== null);
  const complete = await relayResponse(from, exchange.response, start, copy.add);
  if (attempt.checked === null) return;
  const response = exchange.parts.engine.observe(attempt.checked, await observedResponse(from, copy, complete));
  note(exchange, attempt, { status: from.statusCode ?? null, error: null, complete, response });
}

function copyOf(chunks: readonly Buffer[]): ResponseCopy {
  const copy = createResponseCopy(true);
  for (const chunk of chunks) copy.add(chunk);
  return copy;
}

async function observedResponse(
  from: IncomingMessage,
  copy: ResponseCopy,
  complete: boolean,
): Promise<ObservedResponse> {
  return {
    status: from.statusCode ?? 0,
    headers: toHeaderRecord(from.headers),
    body: await copy.inflated(from.headers["content-encoding"]),
    complete: complete && !copy.cut(),
  };
}

function note(
  { parts, mode, startedAt }: Exchange,
  { checked, prefix }: Attempt,
  end: Omit<TurnEnd, "mode" | "durationMs" | "prefix">,
): void {
  if (checked === null) return;
  const durationMs = parts.clock.now() - startedAt;
  void prefix.then((cause) => {
    const entry = toTurnEntry(checked.record, { ...end, mode, durationMs, prefix: cause });
    parts.turns.add(entry);
    parts.log.turn(entry);
  });
}
