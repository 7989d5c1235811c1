/** One gateway in a process of its own: `node contender.ts NAME UPSTREAM_PORT PEERS_FOLDER`. Sends its port when it listens. */
import { createServer, Agent as HttpAgent, request as httpRequest, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createEngine } from "../../src/engine/create-engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";

const [name, upstreamPort, peers] = process.argv.slice(2);
const upstream = `http://127.0.0.1:${upstreamPort}`;

const starts: Readonly<Record<string, () => Promise<number>>> = {
  holdfast: startHoldfast,
  bare: startBare,
  hono: startHono,
  fastify: startFastify,
};
process.send!({ port: await starts[name!]!() });
process.once("disconnect", () => process.exit());

/** As `holdfast start` runs it; only the store is in memory, because it is not on the way of a request. */
async function startHoldfast(): Promise<number> {
  const engine = await createEngine({ store: openMemoryStore(), hashKey: Buffer.alloc(32, 1) });
  const log = createLog({ destination: { write: () => {} } });
  const upstreams = [{ name: "anthropic", url: upstream, backend: "anthropic" }] as const;
  const { port } = await startGateway({ engine, port: 0, upstreams, log });
  return port;
}

/** The least that forwards a request on this platform. */
function startBare(): Promise<number> {
  const agent = new HttpAgent({ keepAlive: true });
  return listen((request, response) => {
    const options = { host: "127.0.0.1", port: upstreamPort, method: request.method, path: request.url, agent };
    const outgoing = httpRequest({ ...options, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(outgoing);
  });
}

function startHono(): Promise<number> {
  const app = new Hono();
  app.all("*", ({ req }) => {
    const { pathname, search } = new URL(req.url);
    const headers = new Headers(req.raw.headers);
    headers.delete("content-length");
    const { method, body } = req.raw;
    return fetch(upstream + pathname + search, { method, headers, body, duplex: "half" } as RequestInit);
  });
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve(port));
  });
}

interface Fastify {
  register(plugin: unknown, options: object): void;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, body: unknown, done: (e: null, b: unknown) => void) => void,
  ): void;
  all(path: string, handler: (request: { url: string }, reply: { from(url: string): void }) => void): void;
  listen(options: object): Promise<string>;
}

async function startFastify(): Promise<number> {
  const require = createRequire(`${peers}/package.json`);
  const app = (require("fastify") as (options: object) => Fastify)({ bodyLimit: 64 * 1024 * 1024 });
  app.register(require("@fastify/reply-from"), { base: upstream });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, body, done) => done(null, body));
  app.all("/*", (request, reply) => reply.from(request.url));
  return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}

function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
