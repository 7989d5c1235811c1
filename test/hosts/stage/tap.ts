/** A proxy on loopback that changes nothing and writes down what passes, so that both sides of the gateway can be compared. */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** Names a request on its whole way, as retries and parallel requests may carry equal bytes. */
export const TAG_HEADER = "x-tap-request";

/** Holds the last event of an answer. */
const TAIL_CHARACTERS = 16_384;

export interface Exchange {
  readonly tag: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Null until the answer begins. */
  status: number | null;
  mediaType: string | null;
  end: "open" | "complete" | "client-left" | "upstream-left";
  /** The newest bytes of the answer: some clients leave with its last event, without waiting for the end. */
  tail: string;
}

export interface Tap {
  readonly url: string;
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

/** @param target the base URL behind the tap, asked for each request: what stands there may restart on another port */
export async function startTap(target: () => string): Promise<Tap> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const exchange = await readExchange(request, exchanges.length).catch(() => null);
    // Expected: a client that ends while it sends has sent no request.
    if (exchange === null) return;
    exchanges.push(exchange);
    await forward(exchange, target(), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function readExchange(request: IncomingMessage, count: number): Promise<Exchange> {
  const { method = "GET", url = "/", rawHeaders } = request;
  const body = await buffer(request);
  const tag = request.headers[TAG_HEADER]?.toString() ?? `request-${count + 1}`;
  return { tag, method, path: url, rawHeaders, body, status: null, mediaType: null, end: "open", tail: "" };
}

async function forward(exchange: Exchange, target: string, response: ServerResponse): Promise<void> {
  const { method, path, rawHeaders, body, tag } = exchange;
  const headers = headerValue(rawHeaders, TAG_HEADER) === null ? [...rawHeaders, TAG_HEADER, tag] : [...rawHeaders];
  const options: RequestOptions = { method, headers, agent: false };
  const upstream = openRequest(`${target}${path}`, options);
  response.on("close", () => {
    if (response.writableFinished) return;
    if (exchange.end === "open") exchange.end = "client-left";
    upstream.destroy();
  });
  upstream.end(body);
  try {
    const [answer] = (await once(upstream, "response")) as [IncomingMessage];
    exchange.status = answer.statusCode ?? 0;
    exchange.mediaType = answer.headers["content-type"] ?? null;
    response.writeHead(exchange.status, answer.rawHeaders);
    // The first event is in the client's hands before the second exists.
    response.flushHeaders();
    answer.on("data", (chunk: Buffer) => {
      exchange.tail = (exchange.tail + chunk.toString("latin1")).slice(-TAIL_CHARACTERS);
    });
    await pipeline(answer, response);
    exchange.end = "complete";
  } catch {
    // Expected: one side left; which one has been seen by now, or it is the far one.
    if (exchange.end === "open") exchange.end = "upstream-left";
    response.destroy();
  }
}

/** The first value of a header, in a list of names and values. */
export function headerValue(rawHeaders: readonly string[], name: string): string | null {
  const at = rawHeaders.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  return at < 0 ? null : rawHeaders[at + 1]!;
}
