/**
 * A provider on loopback that answers and rejects as the real ones do, keeps a prefix cache, and remembers what it has
 * signed. It shares no rule with the gate, so that the two can disagree.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Call } from "./call.ts";
import type { CapturedRequest } from "./captured-request.ts";
import { asObject } from "./json-value.ts";
import type { PrefixCacheMeter } from "./meter/prefix-cache-meter.ts";
import { createProviderContext, type ProviderContext } from "./provider-context.ts";
import type { SimulatedProviderOptions } from "./provider-options.ts";
import { parseBody, readBody } from "./read-body.ts";
import { rememberExchange } from "./remember.ts";
import type { RememberedExchange } from "./remembered-exchange.ts";
import { Reply } from "./reply.ts";
import { route } from "./route.ts";
import type { ScriptedTurn } from "./script.ts";

/** Requests that are kept for inspection; the oldest go first, so that a long demo does not grow for ever. */
const requestsMax = 10_000;

export interface SimulatedProvider {
  /** `http://127.0.0.1:PORT`. Every API is also served below any other base path. */
  readonly url: string;
  /** Everything that arrived since the start or the last reset, oldest first. */
  readonly requests: readonly CapturedRequest[];
  readonly meter: PrefixCacheMeter;
  readonly context: ProviderContext;
  /** Adds turns to the script. An accepted request takes the first; a rejected one takes none. */
  script(...turns: readonly ScriptedTurn[]): void;
  /** Tells the provider of an exchange that took place before it began. */
  remember(exchange: RememberedExchange): void;
  /** Forgets requests, script and cache. What it has issued stays valid. */
  reset(): void;
  close(): Promise<void>;
}

export async function startSimulatedProvider(options: SimulatedProviderOptions = {}): Promise<SimulatedProvider> {
  const context = createProviderContext(options);
  const requests: CapturedRequest[] = [];
  const script: ScriptedTurn[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => fail(response, error));
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const captured = captureRequest(request, await readBody(request));
    if (requests.push(captured) > requestsMax) requests.shift();
    await route({
      captured,
      body: asObject(captured.json),
      reply: new Reply(response),
      context,
      script,
    } satisfies Call);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    meter: context.meter,
    context,
    script: (...turns) => void script.push(...turns),
    remember: (exchange) => rememberExchange(exchange, context),
    reset: () => {
      requests.length = 0;
      script.length = 0;
      context.meter.reset();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** A client that gives up while it sends ends its own request; anything else is a fault of this provider, and says so. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { type: "simulated_provider_failed", message: String(error) } }));
}

function captureRequest(request: IncomingMessage, body: Buffer): CapturedRequest {
  const { method = "GET", url = "/", headers, rawHeaders } = request;
  const json = parseBody(body, headers["content-encoding"]);
  return { method, path: url, headers, rawHeaders, body, json, status: 0, rejectedBy: null, metered: null };
}
