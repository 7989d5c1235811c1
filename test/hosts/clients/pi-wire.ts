/** What Pi puts on the wire, its continued requests included. Nothing is sent: the transports end in this file. */
import type { AgentMessage } from "../../../src/hosts/agent-api.ts";
import { type Encoded, type Encoding, keyFor, replyTo, SERVERS, stop, streamOf, TOOLS } from "./encoding.ts";
import { convertAsPi, loadPiEncoder } from "./pi-encoder.ts";

export async function encodeOnWire(encoding: Encoding): Promise<Encoded> {
  const { api, messages, continued } = encoding;
  if (continued.length === 0) return { messages, body: await bodyOf(encoding, messages, []) };
  const bodies: object[] = [];
  const reply = await run(encoding, messages, bodies);
  const rows = [...messages, reply, ...continued];
  return { messages: rows, body: await bodyOf({ ...encoding, api }, rows, bodies) };
}

async function bodyOf(encoding: Encoding, rows: readonly AgentMessage[], bodies: object[]): Promise<Encoded["body"]> {
  await run(encoding, rows, bodies);
  return bodies.at(encoding.continued.length > 0 ? 1 : 0) as Encoded["body"];
}

/** @param bodies gets what is sent; the first request is answered where another one is to follow */
async function run(encoding: Encoding, rows: readonly AgentMessage[], bodies: object[]): Promise<AgentMessage> {
  const { api, provider, model: id, sees, reasons, continued } = encoding;
  const { stream } = await loadPiEncoder(api);
  const chained = continued.length > 0;
  const socket = chained && api === "openai-codex-responses";
  const model = {
    id,
    name: id,
    provider,
    api,
    baseUrl: SERVERS[api],
    reasoning: reasons,
    input: sees ? ["text", "image"] : ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 200_000,
    maxTokens: 4096,
    compat: {
      supportsMessageThreads: chained,
      supportsMidConvoSystemMessages: reasons,
      supportsMidConvoToolChanges: api === "anthropic-messages",
    },
  };
  const options = {
    apiKey: keyFor(api),
    sessionId: "session",
    maxRetries: 0,
    transport: socket ? "websocket-cached" : "sse",
    onPayload: (payload: object) => {
      if (!chained) bodies.push(structuredClone(payload));
    },
    fetch: async (_url: unknown, { body }: { body: string }) => {
      if (chained) bodies.push(JSON.parse(body));
      return chained && bodies.length === 1 ? streamOf(api) : stop();
    },
  };
  const system = { role: "system", content: "Be brief.", sections: {}, toolsAdded: TOOLS, timestamp: 0 };
  const before = globalThis.WebSocket;
  if (socket) Object.assign(globalThis, { WebSocket: repliesOver(bodies, api) });
  let reply: AgentMessage | undefined;
  for await (const event of stream(model, { messages: [system, ...(await convertAsPi(rows))] }, options)) {
    if (event.type === "done") reply = event.message;
  }
  Object.assign(globalThis, { WebSocket: before });
  return reply as AgentMessage;
}

/** A socket whose other end answers every message with the same reply. */
function repliesOver(bodies: object[], api: string) {
  return class extends EventTarget {
    readyState = 1;
    constructor() {
      super();
      queueMicrotask(() => this.dispatchEvent(new Event("open")));
    }
    send(text: string): void {
      bodies.push(JSON.parse(text));
      for (const event of replyTo(api)) {
        queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(event) })));
      }
    }
    close(): void {
      this.readyState = 3;
    }
  };
}
