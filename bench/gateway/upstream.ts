/**
 * The provider of the benchmark, in a process of its own: a small JSON answer, or 500 events, at once or one every 2 ms.
 * A word in the request says which. Every event carries the time at which it was written.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const EVENTS = 500;
const PACE_MS = 2;

const message = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "A line of an answer. ".repeat(15) }],
  stop_reason: "end_turn",
  usage: { input_tokens: 9, cache_read_input_tokens: 40_000, cache_creation_input_tokens: 300, output_tokens: 90 },
});

const server = createServer((request, response) => {
  let events: string | undefined;
  request.on("data", (chunk: Buffer) => {
    events ??= /bench-(burst|paced)/.exec(chunk.toString("latin1", 0, 2_000))?.[1];
  });
  request.once("end", () => {
    if (events === undefined) {
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(message) });
      response.end(message);
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      void sendEvents(response, events === "paced" ? PACE_MS : 0);
    }
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
process.once("disconnect", () => process.exit());

async function sendEvents(response: ServerResponse, paceMs: number): Promise<void> {
  for (let event = 0; event < EVENTS; event++) {
    const at = performance.timeOrigin + performance.now();
    const delta = { type: "text_delta", text: "a few more words " };
    const data = JSON.stringify({ type: "content_block_delta", index: 0, delta, at });
    response.write(`event: content_block_delta\ndata: ${data}\n\n`);
    await new Promise((resolve) => (paceMs === 0 ? setImmediate(resolve) : setTimeout(resolve, paceMs)));
  }
  response.end();
}
