import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "./json-value.ts";
import { type SimulatedProvider, startSimulatedProvider } from "./simulated-provider.ts";

let provider: SimulatedProvider;
beforeEach(async () => {
  provider = await startSimulatedProvider();
});
afterEach(() => provider.close());

const tools = {
  messages: [
    {
      name: "bash",
      input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    },
  ],
  chat: [{ type: "function", function: { name: "bash", parameters: { type: "object", required: ["command"] } } }],
  responses: [{ type: "function", name: "bash", parameters: { type: "object", required: ["command"] } }],
};
type ApiName = keyof typeof tools;
const apis = Object.keys(tools) as ApiName[];
const pathOf = { messages: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" };

function bodyOf(api: ApiName, prompt: string, more: JsonObject = {}): JsonObject {
  const rows = [{ role: "user", content: prompt }];
  const model = api === "messages" ? "claude-sonnet-4-5" : "gpt-5.5";
  return {
    model,
    max_tokens: 99,
    tools: tools[api],
    ...(api === "responses" ? { input: rows } : { messages: rows }),
    ...more,
  };
}

function send(api: ApiName, body: JsonObject, base = ""): Promise<Response> {
  const headers = { "Content-Type": "application/json", "X-Mixed-Case": "kept" };
  return fetch(provider.url + base + pathOf[api], { method: "POST", headers, body: JSON.stringify(body) });
}

const isError = expect.objectContaining({ error: expect.anything() });

test("each API answers below any base path with an echo, and the bytes of the request are kept", async () => {
  for (const api of apis) {
    const body = bodyOf(api, "Hello.");
    const response = await send(api, body, "/some/base");
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("You said: Hello.");
    const captured = provider.requests.at(-1)!;
    expect(captured).toMatchObject({ method: "POST", path: `/some/base${pathOf[api]}`, status: 200, json: body });
    expect(captured.body.toString()).toBe(JSON.stringify(body));
    expect(captured.headers["x-mixed-case"]).toBe("kept");
    expect(captured.metered).toEqual(provider.meter.turns.at(-1));
  }
  provider.reset();
  expect(provider.requests).toHaveLength(0);
});

test("a compressed body is inflated for reading and kept as it came", async () => {
  const bytes = gzipSync(JSON.stringify(bodyOf("messages", "Hello.")));
  const headers = { "content-encoding": "gzip" };
  const response = await fetch(provider.url + pathOf.messages, { method: "POST", headers, body: bytes });
  expect(response.status).toBe(200);
  expect(provider.requests[0]!.body).toEqual(bytes);
});

test("A-UTF-15 a body that is no JSON is answered in the shape of the API", async () => {
  for (const api of apis) {
    const response = await fetch(provider.url + pathOf[api], { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual(isError);
  }
  expect((await fetch(`${provider.url}/v1/nothing`)).status).toBe(404);
});

test("directives in the prompt steer real agents", async () => {
  const seen: readonly [string, number, RegExp][] = [
    ["[[tool]]", 200, /echo step 1/],
    ["say [[two]]", 200, /echo step 1.*echo step 2/],
    ["[[think]]", 200, /one step/],
    ["[[err529]]", 529, /verloaded|Simulated/],
    ["[[err400]]", 400, /Simulated error/],
  ];
  for (const [prompt, status, text] of seen) {
    for (const stream of [false, true]) {
      const response = await send("messages", bodyOf("messages", prompt, { stream }));
      expect(response.status).toBe(status);
      expect((await response.text()).replaceAll(/\\",?|","/g, "")).toMatch(
        stream && status === 200 ? /event: message_stop/ : text,
      );
    }
  }
});

test("a strict tool is called with null for what it may leave out", async () => {
  const timeout = { anyOf: [{ type: "number" }, { type: "null" }] };
  const cwd = { type: ["string", "null"] };
  const schema = { type: "object", properties: { timeout, cwd }, required: ["command", "timeout", "cwd"] };
  const strict = bodyOf("messages", "go [[tool]]", { tools: [{ name: "bash", input_schema: schema }] });
  const answer = (await (await send("messages", strict)).json()) as { content: unknown[] };
  expect(answer.content).toMatchObject([{ input: { command: "echo step 1", timeout: null, cwd: null } }]);
});

test("a turn that answers a call is never directed again", async () => {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] };
  const result = [
    { type: "tool_result", tool_use_id: "a", content: "[[tool]] ok" },
    { type: "text", text: "[[tool]]" },
  ];
  const messages = [{ role: "user", content: "x" }, call, { role: "user", content: result }];
  const response = await send("messages", bodyOf("messages", "", { messages }));
  expect(await response.json()).toMatchObject({ stop_reason: "end_turn" });
});

test("the script is played in order, and a rejected request takes nothing from it", async () => {
  provider.script({ text: "first" }, { toolCalls: [{ name: "bash", input: { command: "ls" }, id: "mine" }] });
  expect((await send("messages", bodyOf("messages", ""))).status).toBe(400);
  expect(await (await send("messages", bodyOf("messages", "x"))).json()).toMatchObject({
    content: [{ text: "first" }],
  });
  const second = await (await send("messages", bodyOf("messages", "x"))).json();
  expect(second).toMatchObject({ stop_reason: "tool_use", content: [{ id: "mine", input: { command: "ls" } }] });
});

test("faults: an error, an error inside a stream, a cut, a reset, garbage, silence", async () => {
  for (const api of apis) {
    provider.script({ error: { status: 503, body: { mine: true } } });
    const failed = await send(api, bodyOf(api, "x"));
    expect([failed.status, await failed.json()]).toEqual([503, { mine: true }]);

    provider.script({ text: "long ".repeat(40), error: { status: 529, afterEvents: 2 } });
    const broken = await send(api, bodyOf(api, "x", { stream: true }));
    expect([broken.status, await broken.text()]).toEqual([200, expect.stringMatching(/error/)]);

    for (const stream of [false, true]) {
      provider.script({ text: "long ".repeat(40), cutAfterEvents: 2 });
      const cut = await send(api, bodyOf(api, "x", { stream }));
      expect(cut.status).toBe(200);
      await expect(cut.text()).rejects.toThrow();
    }

    provider.script({ garbage: true });
    await expect((await send(api, bodyOf(api, "x"))).json()).rejects.toThrow();
    provider.script({ resetConnection: true });
    await expect(send(api, bodyOf(api, "x"))).rejects.toThrow();
  }
  provider.script({ hang: true });
  const patience = AbortSignal.timeout(50);
  const silent = fetch(provider.url + pathOf.messages, {
    method: "POST",
    body: JSON.stringify(bodyOf("messages", "x")),
    signal: patience,
  });
  await expect(silent).rejects.toThrow();
  expect(provider.requests.at(-1)!.status).toBe(0);
});

test("usage splits reads and writes by their life, and counting tokens writes nothing", async () => {
  const long = "word ".repeat(3000);
  const system = [{ type: "text", text: long, cache_control: { type: "ephemeral", ttl: "1h" } }];
  const messages = [{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }];
  const body = bodyOf("messages", "", { system, messages });
  const counted = await fetch(`${provider.url}/v1/messages/count_tokens`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const { input_tokens } = (await counted.json()) as { input_tokens: number };
  const first = ((await (await send("messages", body)).json()) as { usage: JsonObject }).usage;
  const creation = first.cache_creation as { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  expect(first).toMatchObject({
    input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: input_tokens,
  });
  expect(creation.ephemeral_1h_input_tokens).toBeGreaterThan(3000);
  expect(creation.ephemeral_5m_input_tokens + creation.ephemeral_1h_input_tokens).toBe(input_tokens);
  const second = ((await (await send("messages", body)).json()) as { usage: JsonObject }).usage;
  expect(second).toMatchObject({
    input_tokens: 0,
    cache_read_input_tokens: input_tokens,
    cache_creation_input_tokens: 0,
  });
});

test("the automatic marker caches up to the last block", async () => {
  const body = bodyOf("messages", "word ".repeat(3000), { cache_control: { type: "ephemeral" } });
  await send("messages", body);
  await send("messages", body);
  expect(provider.meter.turns[1]).toMatchObject({ read: provider.meter.turns[0]!.written, written: 0, uncached: 0 });
});

test("diagnostics name what changed since the message that the client gives", async () => {
  const ask = async (previous: string | null, more: JsonObject = {}) => {
    const body = bodyOf("messages", "hi", { system: "s", diagnostics: { previous_message_id: previous }, ...more });
    return (await (await send("messages", body)).json()) as { id: string; diagnostics: unknown };
  };
  const first = await ask(null);
  expect(first.diagnostics).toBeNull();
  expect((await ask(first.id)).diagnostics).toBeNull();
  const changes: readonly [JsonObject, string][] = [
    [{ model: "claude-opus-5-5" }, "model_changed"],
    [{ tools: [] }, "tools_changed"],
    [{ system: "t" }, "system_changed"],
    [{ messages: [{ role: "user", content: "ho" }] }, "messages_changed"],
    [{ tool_choice: { type: "none" } }, "unavailable"],
  ];
  for (const [change, type] of changes) {
    expect((await ask(first.id, change)).diagnostics).toMatchObject({ cache_miss_reason: { type } });
  }
  expect((await ask("msg_unknown")).diagnostics).toEqual({ cache_miss_reason: { type: "previous_message_not_found" } });
});

test("models are listed in the shape of the client that asks", async () => {
  const anthropic = await fetch(`${provider.url}/v1/models`, { headers: { "anthropic-version": "2026-10-21" } });
  expect(await anthropic.json()).toMatchObject({ has_more: false, data: [{ type: "model" }, {}, {}, {}, {}] });
  expect(await (await fetch(`${provider.url}/v1/models`)).json()).toMatchObject({ object: "list" });
  expect(await (await fetch(`${provider.url}/v1/models/gpt-5.5`)).json()).toMatchObject({ id: "gpt-5.5" });
  expect((await fetch(`${provider.url}/v1/models/none`)).status).toBe(404);
});
