import { expect, test } from "vitest";
import { FORMATS } from "../../src/wire/formats.ts";
import { checkAnswers, checkKnownRows, checkPlaces, checkTotal, type FormatSample } from "./wire-format-suite.ts";

const usage = { inputTokens: 10, cacheReadTokens: 90, cacheWriteTokens: 0, cacheWrite1hTokens: 0, outputTokens: 5 };

const sse = (events: readonly object[]): string =>
  events
    .map((event) => `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");

const anthropicUsage = {
  input_tokens: 10,
  cache_read_input_tokens: 90,
  cache_creation_input_tokens: 0,
  output_tokens: 5,
};

const anthropic: FormatSample = {
  request: {
    model: "claude-sonnet-4-5",
    system: "s",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }, { type: "from_the_future" }] },
    ],
  },
  kinds: ["text", "call", "result", "opaque"],
  answer: {
    id: "msg_1",
    type: "message",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "b", name: "read", input: { path: "a.txt" } },
    ],
    stop_reason: "tool_use",
    usage: anthropicUsage,
  },
  stream: sse([
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", content: [], usage: { ...anthropicUsage, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look." } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "b", name: "read", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"path":' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"a.txt"}' } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]),
  usage,
  error: { body: { type: "error", error: { type: "invalid_request_error", message: "no" } }, message: "no" },
};

const chatCall = { id: "b", type: "function", function: { name: "read", arguments: '{"path":"a.txt"}' } };
const chatUsage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 90 } };

const chat: FormatSample = {
  request: {
    model: "gpt-4.1",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [{ ...chatCall, id: "a" }] },
      { role: "tool", tool_call_id: "a", content: "x" },
      { role: "user", content: [{ type: "from_the_future" }] },
    ],
  },
  kinds: ["text", "call", "result", "opaque"],
  answer: {
    id: "chatcmpl_1",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "I look.", tool_calls: [chatCall] },
        finish_reason: "tool_calls",
      },
    ],
    usage: chatUsage,
  },
  stream: `${sse([
    { id: "chatcmpl_1", choices: [{ index: 0, delta: { role: "assistant", content: "I " } }] },
    { id: "chatcmpl_1", choices: [{ index: 0, delta: { content: "look." } }] },
    {
      id: "chatcmpl_1",
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, ...chatCall, function: { name: "read", arguments: '{"path":' } }] },
        },
      ],
    },
    {
      id: "chatcmpl_1",
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"a.txt"}' } }] } }],
    },
    { id: "chatcmpl_1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { id: "chatcmpl_1", choices: [], usage: chatUsage },
  ])}data: [DONE]\n\n`,
  usage,
  error: { body: { error: { message: "no", type: "invalid_request_error", code: null } }, message: "no" },
};

const item = { type: "function_call", id: "fc_1", call_id: "b", name: "read", arguments: '{"path":"a.txt"}' };
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [item],
  usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 90 }, output_tokens: 5 },
};

const responses: FormatSample = {
  request: {
    model: "gpt-5.5",
    input: [
      { role: "user", content: "go" },
      { ...item, call_id: "a" },
      { type: "function_call_output", call_id: "a", output: "x" },
      { type: "from_the_future" },
    ],
  },
  kinds: ["text", "call", "result", "opaque"],
  answer: response,
  stream: sse([
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]),
  usage,
  error: { body: { error: { message: "no", type: "invalid_request_error", code: null } }, message: "no" },
};

const googleChunk = (parts: readonly object[], rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
  responseId: "g_1",
  modelVersion: "gemini-2.5-pro",
});
const googleCall = { functionCall: { name: "read", args: { path: "a.txt" } }, thoughtSignature: "c2VhbA==" };
const googleUsage = {
  usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 90, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
};

const google: FormatSample = {
  request: {
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
      {
        role: "user",
        parts: [{ function_response: { name: "read", response: { output: "x" } } }, { fromTheFuture: 1 }],
      },
    ],
  },
  kinds: ["text", "call", "result", "opaque"],
  answer: { ...googleChunk([{ text: "I look." }, googleCall], { finishReason: "STOP" }), ...googleUsage },
  stream: sse([
    googleChunk([{ text: "I " }]),
    googleChunk([{ text: "look." }]),
    { ...googleChunk([googleCall], { finishReason: "STOP" }), ...googleUsage },
  ]),
  usage,
  error: { body: { error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }, message: "no" },
};

/** One frame of an AWS event stream, without its checksums. */
const frame = (type: string, payload: object): Buffer => {
  const header = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, 0, value.length]),
      Buffer.from(value),
    ]);
  const headers = Buffer.concat([header(":event-type", type), header(":message-type", "event")]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length);
  prelude.writeUInt32BE(headers.length, 4);
  return Buffer.concat([prelude, headers, body, Buffer.alloc(4)]);
};

const converseUsage = { usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 90 } };
const toolUse = { toolUseId: "b", name: "read" };
const part = (contentBlockIndex: number, delta: object) => frame("contentBlockDelta", { contentBlockIndex, delta });

const converse: FormatSample = {
  request: {
    messages: [
      { role: "user", content: [{ text: "go" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "read", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text: "x" }] } }, { fromTheFuture: 1 }] },
    ],
  },
  kinds: ["text", "call", "result", "opaque"],
  answer: {
    output: {
      message: {
        role: "assistant",
        content: [{ text: "I look." }, { toolUse: { ...toolUse, input: { path: "a.txt" } } }],
      },
    },
    stopReason: "tool_use",
    ...converseUsage,
  },
  stream: Buffer.concat([
    frame("messageStart", { role: "assistant" }),
    part(0, { text: "I " }),
    part(0, { text: "look." }),
    frame("contentBlockStart", { contentBlockIndex: 1, start: { toolUse } }),
    part(1, { toolUse: { input: '{"path":' } }),
    part(1, { toolUse: { input: '"a.txt"}' } }),
    frame("messageStop", { stopReason: "tool_use" }),
    frame("metadata", converseUsage),
  ]),
  streamType: "application/vnd.amazon.eventstream",
  usage,
  error: { body: { message: "no" }, message: "no" },
};

const SAMPLES: Record<string, FormatSample> = {
  "google-generative-ai": google,
  "google-vertex": google,
  "bedrock-converse-stream": converse,
  "mistral-conversations": { ...chat, request: { ...chat.request, model: "mistral-large-latest" } },
  "anthropic-messages": anthropic,
  "openai-completions": chat,
  "openai-responses": responses,
  "openai-codex-responses": responses,
  "azure-openai-responses": responses,
};

for (const format of FORMATS) {
  const sample = SAMPLES[format.api]!;
  test(`the blocks of ${format.api} stand where they say`, () => checkPlaces(format, sample));
  test(`${format.api} takes over the rows of the body before`, () => checkKnownRows(format, sample));
  test(`${format.api} reads whatever there is`, () => checkTotal(format));
  test(`${format.api} reads an answer as JSON and as a stream alike`, () => checkAnswers(format, sample));
}

test("DG-1 every wire format runs the suite", () => {
  expect(FORMATS.map(({ api }) => api).filter((api) => SAMPLES[api] === undefined)).toEqual([]);
});
