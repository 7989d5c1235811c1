/**
 * The way of one request through the gateway: route, look, forward, stream back. The client's bytes go out as they came
 * unless the engine returns other ones, and nothing that fails on our side costs the turn.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { OwnAnswer } from "../engine/thread-answer.ts";
import { bringAnswer } from "./answer.ts";
import { type Attempt, decideAttempt, sendAttempt } from "./attempt.ts";
import { readBody, type WholeRead } from "./body.ts";
import { type Exchange, type GatewayParts, openExchange } from "./exchange.ts";
import { ERROR_HEADER } from "./headers.ts";
import { type OwnError, sendOwnError } from "./provider-error.ts";
import type { Route, Routes } from "./routes.ts";

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

async function forward(
  parts: GatewayParts,
  route: Extract<Route, { kind: "upstream" }>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const exchange = openExchange(parts, route, request, response);
  const read = await readBody(request, parts.memory);
  if (read.kind === "cut") return;
  const attempt = await answerRequest(exchange, read);
  // Closing waits for the line of the turn, which waits for this.
  await attempt.prefix;
}

async function answerRequest(exchange: Exchange, read: WholeRead): Promise<Attempt> {
  const { parts, response } = exchange;
  try {
    const attempt = await decideAttempt(exchange, read);
    if (attempt.checked?.ownAnswer) {
      answerOurselves(response, attempt.checked.ownAnswer);
      return attempt;
    }
    const answer = await sendAttempt(exchange, attempt, read);
    await bringAnswer(exchange, attempt, read, answer);
    // The engine has had its last look by now, and keeps no view of a body behind `observeResponse`.
    const isFree = attempt.checked !== null && answer.kind === "response" && answer.requestSent();
    if (isFree && read.kind === "collected") parts.memory.recycle(read.bytes);
    return attempt;
  } finally {
    if (read.kind === "collected") parts.memory.release(read.bytes.length);
  }
}

/** The only answer to a conversation that is not the provider's (DG-64). */
function answerOurselves(response: ServerResponse, { status, body }: OwnAnswer): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { "content-type": "application/json", "content-length": bytes.length };
  response.writeHead(status, { ...headers, [ERROR_HEADER]: "thread_unsupported_request" }).end(bytes);
}

function unknownRoute(routes: Routes): OwnError {
  const names = routes.targets.map(({ upstream }) => `/${upstream.name}`).join(", ");
  return {
    status: 404,
    code: "no_such_upstream",
    message: `the first path segment must name an upstream (${names}): put it into the base URL of your agent.`,
  };
}
