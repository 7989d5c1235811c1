import { beforeAll, expect, test } from "vitest";
import type { AgentApi, AgentContext } from "./agent-api.ts";
import ompExtension from "./omp/extension.ts";
import piExtension from "./pi/extension.ts";
import { processEngine } from "./process-engine.ts";

beforeAll(() => {
  process.env.HOLDFAST_STORE = "memory:";
});

/** What an agent does with an extension, and nothing more. */
function load(extension: (agent: AgentApi) => void, baseUrl: string, api = "anthropic-messages") {
  const listeners = new Map<string, (event: never, context: AgentContext) => unknown>();
  const commands = new Map<string, Parameters<AgentApi["registerCommand"]>[1]>();
  extension({
    on: (name, listener) => void listeners.set(name, listener),
    registerCommand: (name, command) => void commands.set(name, command),
  });
  const shown: string[] = [];
  const context: AgentContext = {
    model: { id: "claude-opus-5-5", provider: "anthropic", api, baseUrl },
    hasUI: true,
    ui: { notify: (message) => void shown.push(message) },
    sessionManager: { getSessionId: () => `session of ${baseUrl}` },
  };
  const send = (name: string, event: object) => listeners.get(name)!(event as never, context);
  return {
    events: [...listeners.keys()],
    context: (messages: readonly object[]) => send("context", { messages }),
    before: (payload: object) => send("before_provider_request", { payload }),
    after: (status: number) => send("after_provider_response", { status, headers: {} }),
    ended: (message: object) => send("message_end", { message: { role: "assistant", ...message } }),
    async command(): Promise<string> {
      await commands.get("holdfast")!.handler("", context);
      return shown.at(-1)!;
    },
  };
}

const ANTHROPIC = "https://api.anthropic.com";

const rows = [
  { role: "user", content: "go" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
  { role: "user", content: "stop" },
];
const broken = { model: "claude-opus-5-5", max_tokens: 64, messages: rows };
const legal = { ...broken, messages: rows.slice(0, 1) };

const missingResult = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
  },
};

for (const [name, extension] of Object.entries({ Pi: piExtension, OMP: ompExtension })) {
  test(`HO-1, DG-5, DG-20 ${name}: a legal payload goes out as it is, a broken one repaired, and neither is touched`, async () => {
    const agent = load(extension, ANTHROPIC);
    const before = JSON.stringify(broken);
    expect(await agent.before(legal)).toBeUndefined();
    const result = { type: "tool_result", tool_use_id: "toolu_1", is_error: true };
    expect(await agent.before(broken)).toMatchObject({
      messages: [rows[0], rows[1], { role: "user", content: [result] }, rows[2]],
    });
    expect(JSON.stringify(broken)).toBe(before);
  });

  test(`HO-7, DG-11 ${name}: an unknown server is believed after one rejection, and then repaired ahead`, async () => {
    const agent = load(extension, `http://${name.toLowerCase()}.test`);
    expect(await agent.before(broken)).toBeUndefined();
    await agent.ended({ stopReason: "error", errorMessage: `400 ${JSON.stringify(missingResult)}` });
    expect(await agent.before(broken)).not.toBeUndefined();
  });

  test(`HO-7, DG-11 ${name}: an answer that may belong to another request teaches nothing`, async () => {
    const agent = load(extension, `http://two.${name.toLowerCase()}.test`);
    await agent.before(broken);
    await agent.before(legal);
    await agent.after(200);
    const { engine } = await processEngine();
    expect(engine.counters().filter((counter) => counter.name === "rule_refuted")).toEqual([]);
  });

  test(`HO-3, DG-74 ${name}: what we cannot read costs no turn and is counted`, async () => {
    expect(await load(extension, "").before(legal)).toBeUndefined();
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(await load(extension, ANTHROPIC).before(cycle)).toBeUndefined();
    expect(await load(extension, ANTHROPIC, "google-generative-ai").before(broken)).toBeUndefined();
    const { engine } = await processEngine();
    const where = `${name.toLowerCase()}_payload`;
    expect(engine.counters()).toContainEqual({ name: "own_failure", labels: { where, reason: "throw" }, count: 1 });
  });

  test(`HO-6 ${name}: /holdfast shows this session's verdicts, its last repair and the counters`, async () => {
    const agent = load(extension, ANTHROPIC);
    expect(await agent.command()).toMatch(/^Holdfast: 0 requests of this session\n/);
    await agent.before(legal);
    await agent.before(broken);
    const text = await agent.command();
    expect(text).toContain("Verdicts: 1 admit, 1 unsafe");
    expect(text).toMatch(/Last repair: \d{4}-\S+ A-PAIR-1 insert \/messages/);
    expect(text).toMatch(/\d+ request anthropic-messages anthropic unsafe repaired/);
  });
}

const piRows = [
  { role: "user", content: "go" },
  { role: "assistant", content: [{ type: "toolCall", id: "toolu_1", name: "read", arguments: {} }] },
  { role: "toolResult", toolCallId: "toolu_1", toolName: "read", content: [{ type: "text", text: "found" }] },
];

test("HO-9, DG-3, DG-30 Pi: what was prepared is legal, what came of it is not: the payload is repaired, and the difference named", async () => {
  const agent = load(piExtension, ANTHROPIC);
  expect(await agent.context(piRows)).toBeUndefined();
  expect(await agent.before(broken)).not.toBeUndefined();
  const text = await agent.command();
  expect(text).toContain("Verdicts: 1 unsafe");
  expect(text).toMatch(
    /1 divergence_shape pi pi\|anthropic-messages\|claude-opus-5-5\|pair_dropped\(result>none\)\+row_extra\(none>user\)\|0/,
  );
});

test("HO-9, DG-20 Pi: a turn whose array was repaired is a repaired one, once, and its payload goes out as it is", async () => {
  const agent = load(piExtension, ANTHROPIC);
  const [go, call, result] = piRows;
  const notice = { role: "user", content: "Mind the time." };
  expect(await agent.context([go!, call!, notice, result!])).toEqual({ messages: [go, call, result, notice] });
  const found = { type: "tool_result", tool_use_id: "toolu_1", content: "found" };
  const payload = { ...broken, messages: [rows[0], rows[1], { role: "user", content: [found] }, notice] };
  expect(await agent.before(payload)).toBeUndefined();
  const text = await agent.command();
  expect(text).toContain("Outcomes: 1 repaired");
  expect(text).toMatch(/Last repair: \S+ A-DUPRES-7 move \/messages\/2/);
});

test("HO-9, HO-13, DG-20 Pi: array and payload are repaired where an SDK makes the body", async () => {
  const agent = load(piExtension, "https://generativelanguage.googleapis.com/v1beta", "google-generative-ai");
  const [go, call, result] = piRows;
  const notice = { role: "user", content: "Mind the time." };
  expect(await agent.context([go!, call!, notice, result!])).toEqual({ messages: [go, call, result, notice] });
  const config = { abortSignal: new AbortController().signal };
  const asked = { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] };
  const contents = [{ role: "user", parts: [{ text: "go" }] }, asked, { role: "user", parts: [{ text: "stop" }] }];
  const repaired = (await agent.before({ model: "gemini-2.5-pro", contents, config })) as { config: object };
  expect(repaired).toMatchObject({ model: "gemini-2.5-pro" });
  expect(repaired.config).toBe(config);
  expect(JSON.stringify(repaired)).toContain("functionResponse");
  const text = await agent.command();
  expect(text).toContain("1 repair google-generative-ai google G-RESP-2");
});

test.each(["pi-messages", "ollama-chat", "cursor-agent"])(
  "HO-13 %s: what is not read goes out as it is, and is counted",
  async (api) => {
    const agent = load(ompExtension, "http://127.0.0.1:1", api);
    expect(await agent.before(broken)).toBeUndefined();
    const { engine } = await processEngine();
    const labels = { upstream: "anthropic", reason: "payload" };
    expect(engine.counters()).toContainEqual(expect.objectContaining({ name: "request_unread", labels }));
  },
);

test("HO-7, DG-11 a rejection whose status only the answer showed is learned from when its words come", async () => {
  const agent = load(piExtension, "http://words.test");
  await agent.before(broken);
  await agent.after(400);
  await agent.ended({ stopReason: "error", errorMessage: missingResult.error.message });
  expect(await agent.before(broken)).not.toBeUndefined();
});

test("HO-7, DG-11 a turn that ends well is a success, though no hook showed its answer", async () => {
  const agent = load(piExtension, "http://quiet.test");
  await agent.before(broken);
  await agent.ended({ stopReason: "stop" });
  const { engine } = await processEngine();
  expect(engine.counters()).toContainEqual({ name: "rule_refuted", labels: { rule: "A-PAIR-1" }, count: 1 });
});

test("HO-2 OMP: `context` is never listened to, and a delta whose history is not known is only looked at", async () => {
  const agent = load(ompExtension, ANTHROPIC);
  expect(agent.events).not.toContain("context");
  expect(await agent.before({ ...broken, previous_response_id: "resp_1" })).toBeUndefined();
  expect(await agent.command()).toContain("Outcomes: 1 sent");
});

test("HO-2, DG-4 OMP: a body with a billing row is repaired when such a body has been rejected", async () => {
  const agent = load(ompExtension, ANTHROPIC);
  const billing = { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=00000;" };
  const login = { ...broken, system: [billing] };
  expect(await agent.before(login)).toBeUndefined();
  await agent.ended({ stopReason: "error", errorMessage: `400 ${JSON.stringify(missingResult)}` });
  expect(await agent.before(login)).toMatchObject({ system: [billing] });
});
