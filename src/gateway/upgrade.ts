/** WebSockets pass through (GW-6): the handshake as it came, then bytes both ways, unread. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { GatewayParts } from "./exchange.ts";
import { openRequest, toFailure } from "./forward.ts";
import { toUpgradeHeaders } from "./headers.ts";
import { sendOwnError } from "./provider-error.ts";
import { relayResponse } from "./relay.ts";
import { toUpstreamPath } from "./routes.ts";

/** Other protocols (`h2c` of some HTTP clients) are offers that a server may ignore: the request is then an ordinary one. */
export function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/** Resolves when the connection has ended. */
export async function handleUpgrade(
  parts: GatewayParts,
  request: IncomingMessage,
  client: Duplex,
  clientStart: Buffer,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  client.once("close", resolve);
  client.on("error", () => client.destroy());

  const route = parts.routes.resolve(request.url ?? "/");
  const refusal = parts.access.refusal(request, route);
  const upstream = route.kind === "upstream" ? route.target.upstream : null;
  const answer = responseOn(request, client);
  if (refusal !== null) sendOwnError(answer, refusal, upstream, route.path);
  else if (!isWebSocket(request)) sendOwnError(answer, otherProtocol, upstream, route.path);
  else if (route.kind !== "upstream") sendOwnError(answer, noWebSocketHere, null, route.path);
  else {
    parts.engine.count("gateway_unread", { reason: "websocket" });
    const { target } = route;
    const outgoing = openRequest(parts.agents, {
      target,
      method: request.method ?? "GET",
      path: toUpstreamPath(target, route.path),
      headers: toUpgradeHeaders(request.rawHeaders, target.host),
    });
    client.once("close", () => outgoing.destroy());
    outgoing.once("upgrade", (accepted, server, serverStart) => {
      client.write(headOf(accepted));
      join(client, clientStart, server, serverStart);
    });
    outgoing.once("response", (refused) => void relayResponse(refused, answer, [], () => {}));
    outgoing.on("error", (error) => {
      if (answer.headersSent || client.destroyed) return;
      const failure = toFailure(error, outgoing, target);
      parts.engine.count("gateway_upstream_failed", { code: failure.code });
      sendOwnError(answer, { status: 502, ...failure }, target.upstream, route.path);
    });
    outgoing.end();
  }
  await promise;
}

const noWebSocketHere = {
  status: 404,
  code: "no_such_upstream",
  message: "no upstream answers to this WebSocket path.",
} as const;

/** Only an older Node comes here: it cannot ignore the offer and read the request as an ordinary one. */
const otherProtocol = {
  status: 501,
  code: "upgrade_not_supported",
  message: "this Upgrade needs the gateway to run on Node 24: turn HTTP/2 upgrades off in your client, or update Node.",
} as const;

/** An ordinary HTTP answer on a connection that wanted to be a WebSocket; the connection ends behind it. */
function responseOn(request: IncomingMessage, client: Duplex): ServerResponse {
  const answer = new ServerResponse(request);
  answer.shouldKeepAlive = false;
  answer.assignSocket(client as Parameters<ServerResponse["assignSocket"]>[0]);
  answer.once("finish", () => client.end());
  return answer;
}

function headOf(accepted: IncomingMessage): Buffer {
  const lines = [`HTTP/1.1 ${accepted.statusCode} ${accepted.statusMessage}`];
  for (let index = 0; index + 1 < accepted.rawHeaders.length; index += 2) {
    lines.push(`${accepted.rawHeaders[index]}: ${accepted.rawHeaders[index + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** Pipes keep the back-pressure of both sides; one that ends early takes the other with it. */
function join(client: Duplex, clientStart: Buffer, server: Duplex, serverStart: Buffer): void {
  server.on("error", () => server.destroy());
  server.once("close", () => client.destroy());
  client.once("close", () => server.destroy());
  if (serverStart.length > 0) client.write(serverStart);
  if (clientStart.length > 0) server.write(clientStart);
  server.pipe(client);
  client.pipe(server);
}
