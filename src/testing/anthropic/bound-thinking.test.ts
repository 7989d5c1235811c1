import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../simulated-provider.ts";

let provider: SimulatedProvider;
beforeAll(async () => {
  provider = await startSimulatedProvider();
});
afterAll(() => provider.close());

const bound = "claude-opus-5-5";
const beta = "thinking-binding-controls-2026-08-01";
const tools = [{ name: "read", input_schema: { type: "object" } }];

interface Answer {
  readonly status: number;
  readonly json: {
    readonly id: string;
    readonly content: readonly JsonObject[];
    readonly input_transformations?: unknown;
  };
  readonly text: string;
}

async function send(at: SimulatedProvider, body: JsonObject, headers: Record<string, string> = {}): Promise<Answer> {
  const whole = { model: bound, max_tokens: 99, system: "Be brief.", tools, ...body };
  const response = await fetch(`${at.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(whole) });
  const text = await response.text();
  return { status: response.status, json: JSON.parse(text), text };
}

/** A tool loop of two rounds, each with thinking, as the provider itself answered it. */
async function history(at: SimulatedProvider, model = bound): Promise<JsonObject[]> {
  const messages: JsonObject[] = [{ role: "user", content: "go" }];
  for (const thinking of ["First.", "Second."]) {
    at.script({ thinking, toolCalls: [{ name: "read" }] });
    const { json } = await send(at, { messages, model });
    const id = json.content.find((block) => block.type === "tool_use")!.id;
    messages.push({ role: "assistant", content: json.content });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
  }
  return messages;
}

function without(messages: readonly JsonObject[], row: number, type: string): JsonObject[] {
  const content = (messages[row]!.content as JsonObject[]).filter((block) => block.type !== type);
  return messages.with(row, { ...messages[row], content });
}

test("A-PREFIX-19 an unchanged history passes, also with markers moved and text as a block", async () => {
  const messages = await history(provider);
  messages[0] = { role: "user", content: [{ type: "text", text: "go", cache_control: { type: "ephemeral" } }] };
  const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
  expect(await send(provider, { messages, system })).toMatchObject({ status: 200 });
});

test("A-PREFIX-19 any change in front of a signed block is a 400 that names the block", async () => {
  const messages = await history(provider);
  const changes: readonly [JsonObject, string][] = [
    [{ system: "Be very brief." }, "The `system` prompt"],
    [{ tools: [...tools, { name: "more", input_schema: { type: "object" } }] }, "The `tools`"],
    [{ messages: [{ role: "user", content: "note" }, ...messages] }, "messages.2.content.0: Invalid `signature`"],
    [{ messages: without(messages, 1, "thinking") }, "The `thinking` block that preceded this one"],
  ];
  for (const [change, says] of changes) {
    const { status, text } = await send(provider, { messages, ...change });
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toContain(says);
    expect(provider.requests.at(-1)!.rejectedBy).toBe("A-PREFIX-19");
  }
});

test("A-PREFIX-19 a history without any thinking passes", async () => {
  const bare = without(without(await history(provider), 1, "thinking"), 3, "thinking");
  expect(await send(provider, { messages: bare, system: "changed" })).toMatchObject({ status: 200 });
});

test("A-PREFIX-19 drop_block with its beta removes the blocks and reports each", async () => {
  const messages = await history(provider);
  const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const body = { messages, system: "changed", thinking };
  expect(await send(provider, body)).toMatchObject({ status: 400 });
  const { status, json } = await send(provider, body, { "anthropic-beta": `x, ${beta}` });
  expect(status).toBe(200);
  expect(json.input_transformations).toEqual([
    { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
    { type: "thinking_dropped", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
  ]);
  // Dropped blocks stay on the wire, and what was signed behind them stays valid.
  const next = [...messages, { role: "assistant", content: json.content }, { role: "user", content: "on" }];
  expect(await send(provider, { ...body, messages: next }, { "anthropic-beta": beta })).toMatchObject({ status: 200 });
});

test("A-PREFIX-19 an older account enforces only what the request opts in to", async () => {
  const old = await startSimulatedProvider({ boundThinking: false });
  const messages = await history(old);
  const allowed = await send(old, { messages, system: "changed" }, { "anthropic-beta": beta });
  expect(allowed.json.input_transformations).toHaveLength(2);
  expect(allowed.json.input_transformations).toMatchObject([{ type: "thinking_mismatch_allowed" }, {}]);
  const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } };
  const strict = await send(old, { messages, system: "changed", thinking }, { "anthropic-beta": beta });
  expect(strict.status).toBe(400);
  await old.close();
});

test("A-PREFIX-19 a date on the model's name is the same model", async () => {
  const messages = await history(provider);
  expect(await send(provider, { messages, model: `${bound}-20260901` })).toMatchObject({ status: 200 });
});

test("A-PREFIX-19 models before 5.5 do not bind", async () => {
  const messages = await history(provider, "claude-opus-4-8");
  expect(await send(provider, { messages, model: "claude-opus-4-8", system: "changed" })).toMatchObject({
    status: 200,
  });
});

test("A-SIG-18 a signature of another model or another provider does not verify", async () => {
  const messages = await history(provider, "claude-sonnet-5-5");
  expect(await send(provider, { messages })).toMatchObject({ status: 400 });
  expect(provider.requests.at(-1)!.rejectedBy).toBe("A-SIG-18");
  const request = { model: "minimax-m3", messages: [{ role: "user", content: "go" }] };
  const foreign = [
    { type: "thinking", thinking: "x", signature: "elsewhere" },
    { type: "text", text: "x" },
  ];
  provider.remember({ api: "anthropic-messages", backend: "minimax", request, response: { content: foreign } });
  const switched = [...request.messages, { role: "assistant", content: foreign }, { role: "user", content: "on" }];
  expect(await send(provider, { messages: switched, model: "claude-opus-4-6" })).toMatchObject({ status: 400 });
  expect(provider.requests.at(-1)!.rejectedBy).toBe("A-SIG-18");
});

test("A-THINK-11 a turn must come back as it was answered, except on Sonnet 4.5", async () => {
  for (const [model, status] of [
    ["claude-opus-4-6", 400],
    ["claude-sonnet-4-5", 200],
  ] as const) {
    for (const change of [blanked, regrouped, textFirst]) {
      const { messages, results } = await interleaved(model);
      const content = change(messages[1]!.content as JsonObject[]);
      const body = { model, messages: [messages[0], { role: "assistant", content }, results] };
      expect((await send(provider, body)).status, `${model} ${change.name}`).toBe(status);
      expect((await send(provider, { model, messages: [...messages, results] })).status).toBe(200);
    }
  }
});

async function interleaved(model: string): Promise<{ messages: JsonObject[]; results: JsonObject }> {
  const call = { kind: "tool-call", name: "read" } as const;
  const think = (text: string) => ({ kind: "thinking", text }) as const;
  provider.script({ parts: [think("a"), { kind: "text", text: "so" }, think("b"), call, think("c"), call] });
  const first = { role: "user", content: "go" };
  const { json } = await send(provider, { model, messages: [first] });
  const calls = json.content.filter((block) => block.type === "tool_use");
  const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  return {
    messages: [first, { role: "assistant", content: json.content }],
    results: { role: "user", content: results },
  };
}

function blanked(content: JsonObject[]): JsonObject[] {
  return content.map((block) => (block.type === "thinking" ? { ...block, thinking: "" } : block));
}

/** What hosts do to put calls last. */
function regrouped(content: JsonObject[]): JsonObject[] {
  return [
    ...content.filter((block) => block.type !== "tool_use"),
    ...content.filter((block) => block.type === "tool_use"),
  ];
}

function textFirst(content: JsonObject[]): JsonObject[] {
  return content.toSorted((a, b) => Number(b.type === "text") - Number(a.type === "text"));
}

test("A-EMPTYSEP-13 empty text between thinking blocks passes where thinking is bound, and only there", async () => {
  for (const [model, status] of [
    [bound, 200],
    ["claude-opus-4-6", 400],
  ] as const) {
    const think = (text: string) => ({ kind: "thinking", text }) as const;
    provider.script({ parts: [think("a"), { kind: "text", text: "" }, think("b"), { kind: "text", text: "x" }] });
    const first = { role: "user", content: "go" };
    const { json } = await send(provider, { model, messages: [first] });
    const messages = [first, { role: "assistant", content: json.content }, { role: "user", content: "on" }];
    expect((await send(provider, { model, messages })).status).toBe(status);
  }
});

test("A-THR-29 a thread is continued once, from its newest answer, with only what is new", async () => {
  const first = await send(provider, { messages: [{ role: "user", content: "one" }], thread: { type: "create" } });
  const next = { messages: [{ role: "user", content: "two" }], system: undefined, tools: undefined };
  const continued = (id: string, more = {}) => ({
    ...next,
    ...more,
    thread: { type: "continue", previous_message_id: id },
  });
  const second = await send(provider, continued(first.json.id));
  expect(second.json.content).toEqual([{ type: "text", text: "You said: two" }]);
  const refused: readonly [JsonObject, number, string][] = [
    [continued(first.json.id), 400, "thread_already_continued"],
    [continued("msg_unknown"), 404, "thread_not_found"],
    [continued(second.json.id, { system: "other" }), 400, "thread_fingerprint_mismatch"],
  ];
  for (const [body, status, code] of refused) {
    expect(await send(provider, body)).toMatchObject({ status, json: { error: { details: { error_code: code } } } });
  }
  // A call in the held history is still owed its result.
  provider.script({ toolCalls: [{ name: "read" }] });
  const third = await send(provider, continued(second.json.id));
  expect((await send(provider, continued(third.json.id))).status).toBe(400);
  expect(provider.requests.at(-1)!.rejectedBy).toBe("A-PAIR-1");
});

test("A-THR-29 two requests cannot continue from one place at once", async () => {
  const first = await send(provider, { messages: [{ role: "user", content: "one" }], thread: { type: "create" } });
  const thread = { type: "continue", previous_message_id: first.json.id };
  const body = { model: bound, messages: [{ role: "user", content: "two" }], thread };
  const url = `${provider.url}/v1/messages`;
  const abort = new AbortController();
  provider.script({ hang: true });
  const seen = provider.requests.length;
  const silent = fetch(url, { method: "POST", body: JSON.stringify(body), signal: abort.signal });
  while (provider.requests.length === seen) await new Promise((resolve) => setImmediate(resolve));
  const second = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  expect(await second.json()).toMatchObject({ error: { details: { error_code: "thread_continue_in_flight" } } });
  abort.abort();
  await expect(silent).rejects.toThrow();
});

test("A-THR-29 an answer that broke off leaves the thread where it was", async () => {
  const first = await send(provider, { messages: [{ role: "user", content: "one" }], thread: { type: "create" } });
  const body = {
    messages: [{ role: "user", content: "two" }],
    system: undefined,
    tools: undefined,
    thread: { type: "continue", previous_message_id: first.json.id },
  };
  provider.script({ error: { status: 529 } });
  expect((await send(provider, body)).status).toBe(529);
  expect((await send(provider, body)).status).toBe(200);
});
