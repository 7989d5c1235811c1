/**
 * The way of one request through the gateway: route, look, forward, stream back. The client's bytes go out as they came
 * unless the engine returns other ones, and nothing that fails on our side costs the turn.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CheckedRequest, Mode, ObservedResponse } from "../engine/engine.ts";
import type { Clock } from "../lib/clock.ts";
import type { Access } from "./access.ts";
import { BODY_BYTES_MAX, type BodyRead, readBody } from "./body.ts";
import { type Agents, type Answer, sendUpstream } from "./forward.ts";
import type { GuardedEngine } from "./guarded-engine.ts";
import { hasDigest, toHeaderRecord, toUpstreamHeaders, withNewBody } from "./headers.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { inflateCopy } from "./inflate.ts";
import type { Log } from "./log.ts";
import { sendOwnError } from "./provider-error.ts";
import { holdRejection, mayRetry } from "./rejection.ts";
import { relayResponse } from "./relay.ts";
import { createResponseCopy, type ResponseCopy } from "./response-copy.ts";
import { type Route, type Routes, type Target, toUpstreamPath } from "./routes.ts";
import { type TurnLog, toTurnEntry } from "./turn-log.ts";

export interface GatewayParts {
  readonly routes: Routes;
  readonly access: Access;
  readonly engine: GuardedEngine;
  readonly agents: Agents;
  readonly held: HeldBytes;
  readonly turns: TurnLog;
  readonly log: Log;
  readonly clock: Clock;
  readonly modeOf: (upstream: string) => Mode;
  /** Answers the gateway's own paths: status page and API. */
  readonly own: (request: IncomingMessage, response: ServerResponse, authorised: boolean) => Promise<void>;
}

export async function handleRequest(
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = parts.routes.resolve(request.url ?? "/");
  const target = route.kind === "upstream" ? route.target : null;
  const refusal = parts.access.refusal(request, route);
  if (refusal !== null) return sendOwnError(response, refusal, target?.upstream ?? null, route.path);
  switch (route.kind) {
    case "own":
      request.url = route.path;
      return await parts.own(request, response, parts.access.isAuthorised(request, route));
    case "unknown":
      return sendOwnError(response, unknownRoute(parts.routes), null, route.path);
    case "upstream":
      return await forward(parts, route, request, response);
  }
}

/** One request that is on its way, and who waits for it. */
interface Exchange {
  readonly parts: GatewayParts;
  readonly target: Target;
  readonly path: string;
  readonly mode: Mode;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clientLeft: AbortSignal;
  readonly startedAt: number;
}

/** The bytes of one attempt. `checked` is null for what was not looked at; `body` is null for what streams through. */
interface Attempt {
  readonly checked: CheckedRequest | null;
  readonly body: Uint8Array | null;
  readonly headers: readonly string[];
}

async function forward(
  parts: GatewayParts,
  route: Extract<Route, { kind: "upstream" }>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange = openExchange(parts, route, request, response);
  const read = await readBody(request, parts.held);
  if (read.kind === "cut") return;
  try {
    const attempt = await decideAttempt(exchange, read);
    const answer = await send(exchange, attempt, read);
    await conclude(exchange, attempt, read, answer);
  } finally {
    if (read.kind === "collected") parts.held.release(read.bytes.length);
  }
}

function openExchange(
  parts: GatewayParts,
  { target, path }: { target: Target; path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const left = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) left.abort();
  });
  request.on("error", () => {});
  response.on("error", () => {});
  // A repaired body would no longer be what its digest says, so such a request is only looked at (DG-24).
  const mode = hasDigest(request.headers) ? "observe" : parts.modeOf(target.upstream.name);
  return { parts, target, path, mode, request, response, clientLeft: left.signal, startedAt: parts.clock.now() };
}

async function decideAttempt(exchange: Exchange, read: Exclude<BodyRead, { kind: "cut" }>): Promise<Attempt> {
  const { parts, target, path, mode, request } = exchange;
  const headers = toUpstreamHeaders(request.rawHeaders, target.host);
  if (read.kind === "unread") {
    parts.engine.count("gateway_unread", { reason: read.reason });
    return { checked: null, body: null, headers };
  }
  const plain = await inflateCopy(read.bytes, request.headers["content-encoding"], BODY_BYTES_MAX);
  if (plain === null) {
    parts.engine.count("gateway_unread", { reason: "encoding" });
    return { checked: null, body: read.bytes, headers };
  }
  const checked = await parts.engine.check({
    upstream: target.upstream,
    mode,
    method: request.method ?? "POST",
    path,
    headers: toHeaderRecord(request.headers),
    body: plain,
  });
  if (checked === null || checked.body === plain) return { checked, body: read.bytes, headers };
  return repairedAttempt(checked, headers);
}

function repairedAttempt(checked: CheckedRequest, headers: readonly string[]): Attempt {
  return { checked, body: checked.body, headers: withNewBody(headers, checked.body.length) };
}

function send(exchange: Exchange, attempt: Attempt, read: Exclude<BodyRead, { kind: "cut" }>): Promise<Answer> {
  const { parts, target, path, request, clientLeft } = exchange;
  return sendUpstream(parts.agents, {
    target,
    method: request.method ?? "GET",
    path: toUpstreamPath(target, path),
    headers: attempt.headers,
    clientLeft,
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

/** Brings the answer to the client, or says that there is none. */
async function conclude(
  exchange: Exchange,
  attempt: Attempt,
  read: Exclude<BodyRead, { kind: "cut" }>,
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
  read: Exclude<BodyRead, { kind: "cut" }>,
): Promise<{ attempt: Attempt; response: IncomingMessage } | null> {
  const { engine } = exchange.parts;
  const retried = await engine.retry(checked, rejected);
  if (retried === null) return null;
  const attempt = repairedAttempt(retried, first.headers);
  const answer = await send(exchange, attempt, read);
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
  { checked }: Attempt,
  end: Pick<Parameters<typeof toTurnEntry>[1], "status" | "error" | "complete" | "response">,
): void {
  if (checked === null) return;
  const entry = toTurnEntry(checked.record, { ...end, mode, durationMs: parts.clock.now() - startedAt });
  parts.turns.add(entry);
  parts.log.turn(entry);
}

function unknownRoute(routes: Routes) {
  const names = routes.targets.map(({ upstream }) => `/${upstream.name}`).join(", ");
  return {
    status: 404,
    code: "no_such_upstream",
    message: `the first path segment must name an upstream (${names}): put it into the base URL of your agent.`,
  } as const;
}
