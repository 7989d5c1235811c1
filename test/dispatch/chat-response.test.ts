/** What a Chat Completions answer says of itself, as JSON and as a stream, in the shapes of several servers. */
import { expect, test } from "vitest";
import { openaiCompletions } from "../../src/wire/openai-completions/format.ts";

function read(body: object) {
  const bytes = Buffer.from(JSON.stringify(body));
  return openaiCompletions.readResponse({ status: 200, mediaType: "application/json", bytes });
}

function readEvents(events: readonly (object | string)[]) {
  const text = events.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
  return openaiCompletions.readResponse({ status: 200, mediaType: "text/event-stream", bytes: Buffer.from(text) });
}

const message = {
  role: "assistant",
  content: null,
  reasoning_content: "I look first.",
  tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } }],
};

test("DG-60 a chat answer gives the row that the client sends back, joined from the pieces of a stream", () => {
  const whole = read({ id: "c1", model: "m", choices: [{ message, finish_reason: "tool_calls" }] });
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "c1",
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const streamed = readEvents([
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "I look " }),
    chunk({ reasoning_content: "first." }),
    chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "read", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"a.txt"}' } }] }),
    chunk({}, "tool_calls"),
    "[DONE]",
  ]);
  expect(whole).toMatchObject({ id: "c1", model: "m", rows: [message], stopReason: "tool_calls" });
  expect(streamed).toEqual(whole);
});

test("DG-60 a chat stream that was cut or failed gives no row", () => {
  const begun = { id: "c1", choices: [{ delta: { content: "Nin" } }] };
  expect(readEvents([begun])).toMatchObject({ id: "c1", rows: [], error: null });
  expect(readEvents([begun, { error: { message: "overloaded", code: "server_error" } }])).toMatchObject({
    rows: [],
    error: { code: "server_error", message: "overloaded" },
  });
});

const USAGES: readonly (readonly [string, object, object])[] = [
  [
    "OpenAI",
    { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 } },
    { inputTokens: 36, cacheReadTokens: 64, cacheWriteTokens: 0, outputTokens: 7 },
  ],
  [
    "DeepSeek",
    { prompt_tokens: 100, completion_tokens: 7, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { inputTokens: 36, cacheReadTokens: 64 },
  ],
  [
    "Moonshot",
    { prompt_tokens: 100, cached_tokens: 90, completion_tokens: 1 },
    { inputTokens: 10, cacheReadTokens: 90 },
  ],
  [
    "a router that counts writes",
    { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 80 } },
    { inputTokens: 10, cacheReadTokens: 10, cacheWriteTokens: 80 },
  ],
];

test("DG-70 tokens are counted in the words of each chat server", () => {
  for (const [server, usage, expected] of USAGES) {
    expect(read({ choices: [], usage }).usage, server).toMatchObject(expected);
    expect(readEvents([{ choices: [], usage }]).usage, server).toMatchObject(expected);
  }
  expect(readEvents([{ choices: [{ delta: {}, usage: USAGES[2]![1] }] }]).usage).toMatchObject(USAGES[2]![2]);
  expect(readEvents([{ choices: [], x_groq: { usage: USAGES[0]![1] } }]).usage).toMatchObject(USAGES[0]![2]);
});
