/** The official SDKs read what the simulated provider writes: as one object and as a stream, with the errors by class. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SimulatedProvider, startSimulatedProvider } from "../../src/testing/index.ts";

let provider: SimulatedProvider;
let anthropic: Anthropic;
let openai: OpenAI;

beforeAll(async () => {
  provider = await startSimulatedProvider();
  anthropic = new Anthropic({ baseURL: `${provider.url}/anthropic`, apiKey: "k", maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
});
afterAll(() => provider.close());

const turn = {
  thinking: "Look first.",
  text: "I look. 😀",
  toolCalls: [{ name: "read", input: { path: "a.txt", line: 3 } }],
};
const messages = [{ role: "user" as const, content: "go" }];
const model = "claude-opus-5-5";
const schema = { type: "object" as const, properties: {} };

test("a Messages stream adds up to the message that JSON gives", async () => {
  provider.script(turn, turn);
  const streamed = await anthropic.messages.stream({ model, max_tokens: 99, messages }).finalMessage();
  const whole = await anthropic.messages.create({ model, max_tokens: 99, messages });
  for (const message of [streamed, whole]) {
    expect(message).toMatchObject({ stop_reason: "tool_use", usage: { input_tokens: expect.any(Number) } });
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Look first.", signature: expect.stringMatching(/./) },
      { type: "text", text: "I look. 😀" },
      { type: "tool_use", name: "read", input: { path: "a.txt", line: 3 } },
    ]);
  }
  expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
});

test("a whole tool loop with thinking goes round through the SDK's own types", async () => {
  const history: Anthropic.MessageParam[] = [{ role: "user", content: "go [[think]] [[tool]]" }];
  const tools = [{ name: "read", input_schema: schema }];
  const first = await anthropic.messages.stream({ model, max_tokens: 99, tools, messages: history }).finalMessage();
  history.push({ role: "assistant", content: first.content });
  const calls = first.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  history.push({ role: "user", content: calls.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" })) });
  const second = await anthropic.messages.create({ model, max_tokens: 99, tools, messages: history });
  expect(second.content).toMatchObject([{ text: "The tool said: ok" }]);
});

test("A-PAIR-1 errors arrive as the SDK's classes, also inside a stream", async () => {
  const open: Anthropic.MessageParam[] = [
    ...messages,
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
  ];
  const rejected = anthropic.messages.create({ model, max_tokens: 99, messages: open });
  await expect(rejected).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  const lost = anthropic.beta.messages.create({
    model,
    max_tokens: 99,
    messages,
    thread: { type: "continue", previous_message_id: "msg_unknown" },
  });
  await expect(lost).rejects.toMatchObject({ status: 404, errorCode: "thread_not_found" });
  provider.script({ text: "long ".repeat(30), error: { status: 529, afterEvents: 4 } });
  const broken = anthropic.messages.stream({ model, max_tokens: 99, messages }).finalMessage();
  await expect(broken).rejects.toThrow(/overloaded_error/);
});

test("models and token counts can be read by both clients", async () => {
  expect((await anthropic.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0);
  expect((await anthropic.models.list()).data.map((one) => one.id)).toContain(model);
  expect((await openai.models.list()).data.map((one) => one.id)).toContain("gpt-5.5");
});

test("a Chat Completions stream adds up to the completion that JSON gives", async () => {
  provider.script(turn, turn);
  const request = { model: "gpt-4.1", messages, stream_options: { include_usage: true } };
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
  const whole = await openai.chat.completions.create({ model: "gpt-4.1", messages });
  for (const { choices, usage } of [streamed, whole]) {
    const [call] = choices[0]!.message.tool_calls!;
    expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look. 😀" } });
    expect(call).toMatchObject({
      type: "function",
      function: { name: "read", arguments: '{"path":"a.txt","line":3}' },
    });
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
  }
});

test("a Responses stream adds up to the response that JSON gives, and can be chained", async () => {
  provider.script(turn, turn);
  const streamed = await openai.responses.stream({ model: "gpt-5.5", input: "go" }).finalResponse();
  const whole = await openai.responses.create({ model: "gpt-5.5", input: "go" });
  for (const { output, output_text, usage, status } of [streamed, whole]) {
    expect({ output_text, status }).toEqual({ output_text: "I look. 😀", status: "completed" });
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Look first." }] },
      { type: "message" },
      { type: "function_call", name: "read", arguments: '{"path":"a.txt","line":3}' },
    ]);
    expect(usage!.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
  }
  const call = whole.output.find((item) => item.type === "function_call")!;
  const next = await openai.responses.create({
    model: "gpt-5.5",
    previous_response_id: whole.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "ok" }],
  });
  expect(next.output_text).toBe("The tool said: ok");
});

test("R-STORE-12 errors of the OpenAI APIs carry their code", async () => {
  const unknown = openai.responses.create({ model: "gpt-5.5", previous_response_id: "resp_unknown", input: "x" });
  await expect(unknown).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  provider.script({ text: "long ".repeat(30), error: { status: 500, afterEvents: 3 } });
  const broken = openai.responses.stream({ model: "gpt-5.5", input: "x" }).finalResponse();
  await expect(broken).rejects.toThrow(/Simulated error/);
});
