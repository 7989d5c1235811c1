/** The engine over a real store: what it sends, what it learns from answers, what survives a restart. */
import { expect, test, vi } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest, Engine, ObservedRequest } from "../../src/engine/engine.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { createProviderContext, validateAnthropic } from "../../src/testing/index.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, call, request, result, text, thinking, user } from "../dispatch/anthropic-body.ts";

const hashKey = Buffer.alloc(32, 7);
const ANTHROPIC = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;
const CLONE = { name: "clone", url: "http://127.0.0.1:1" } as const;

interface Turn {
  readonly upstream?: ObservedRequest["upstream"];
  readonly mode?: ObservedRequest["mode"];
  readonly headers?: Record<string, string>;
  readonly more?: object;
}

/** One turn against a provider that answers as the strict validator does, with one retry where the engine has one. */
async function play(engine: Engine, messages: readonly BodyRow[], turn: Turn = {}, accepts: readonly string[] = []) {
  const body = Buffer.from(JSON.stringify(request(messages, turn.more)));
  const { upstream = ANTHROPIC, mode = "guard", headers = { "x-api-key": "one" } } = turn;
  const checked = await engine.checkRequest({ upstream, mode, method: "POST", path: "/v1/messages", headers, body });
  const first = answer(engine, checked, accepts);
  if (first.status !== 400 || mode === "observe") return { body, sent: [checked.body], checked, ...first };
  const retried = await engine.retryAfterRejection(checked, first.response);
  if (retried === null) return { body, sent: [checked.body], checked, ...first };
  const second = answer(engine, retried, accepts);
  return { body, sent: [checked.body, retried.body], checked: retried, ...second };
}

function answer(engine: Engine, checked: CheckedRequest, accepts: readonly string[]) {
  const verdict = validateAnthropic(
    JSON.parse(Buffer.from(checked.body).toString()),
    createProviderContext({ accepts: [...accepts] }),
  );
  const reply = "body" in verdict ? verdict.body : { type: "message", content: [{ type: "text", text: "ok" }] };
  const response = {
    status: verdict.status,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(reply)),
    complete: true,
  };
  return { status: verdict.status, response, record: engine.observeResponse(checked, response) };
}

function countOf(engine: Engine, name: string): number {
  return engine.counters().reduce((sum, counter) => (counter.name === name ? sum + counter.count : sum), 0);
}

const open = async (store: EventStore = openMemoryStore()) => ({
  store,
  engine: await createEngine({ store, hashKey }),
});

const broken = [user("go"), assistant([call("a")]), user("stop, please")];

test("DG-5 an admitted request is the very same object, and an unverified one too", async () => {
  const { engine } = await open();
  for (const messages of [[user("go")], [user("go"), assistant([{ type: "from_the_future" }]), user("x")]]) {
    const { body, sent } = await play(engine, messages);
    expect(sent[0]).toBe(body);
  }
});

test("DG-11 DG-12 a proven fault of the shape is repaired before it is sent, and the same way on every later turn", async () => {
  const { engine } = await open();
  const first = await play(engine, broken);
  expect(first).toMatchObject({ status: 200, sent: { length: 1 }, checked: { record: { outcome: "repaired" } } });
  const later = await play(engine, [...broken, assistant([text("ok")]), user("next")]);
  const prefix = Buffer.from(first.sent[0]!).toString().split(',{"role":"user","content":"stop')[0]!;
  expect(Buffer.from(later.sent[0]!).toString().startsWith(prefix)).toBe(true);
});

test("DG-12 GW-10 an option is changed only after the 400 that asks for it, and once", async () => {
  const { engine } = await open();
  const forced = { model: "claude-fable-5-1", tool_choice: { type: "any" } };
  const turn = await play(engine, [user("go")], { more: forced });
  expect(turn.sent[0]).toBe(turn.body);
  expect(turn).toMatchObject({ status: 200, sent: { length: 2 }, checked: { record: { outcome: "repaired" } } });
});

test("DG-4 DG-11 an unknown server proves a rule before anything is repaired ahead, also after a restart", async () => {
  const { engine, store } = await open();
  const first = await play(engine, broken, { upstream: CLONE });
  expect(first.sent).toHaveLength(2);
  expect(first.sent[0]).toBe(first.body);
  expect((await play(engine, broken, { upstream: CLONE })).sent).toHaveLength(1);
  await engine.close();
  const again = await open(store);
  expect(await play(again.engine, broken, { upstream: CLONE })).toMatchObject({ status: 200, sent: { length: 1 } });
  expect((await play(again.engine, broken, { upstream: CLONE, more: { model: "claude-opus-4-1" } })).sent).toHaveLength(
    2,
  );
});

test("DG-11 a rule that is wrong about a provider loses its power after one accepted request and never touches a byte again", async () => {
  const { engine, store } = await open();
  const lenient = ["A-PAIR-1"];
  const first = await play(engine, broken, { upstream: CLONE }, lenient);
  expect(first).toMatchObject({ status: 200, sent: { length: 1 } });
  expect(countOf(engine, "rule_refuted")).toBe(1);
  const observed = await play(engine, broken, { mode: "observe" }, lenient);
  expect(observed.status).toBe(200);
  await engine.close();
  const again = await open(store);
  for (const upstream of [CLONE, ANTHROPIC]) {
    const { body, sent, checked } = await play(again.engine, broken, { upstream }, lenient);
    expect(sent[0]).toBe(body);
    expect(checked.record.verdict).toMatchObject({ kind: "admit-unverified", soft: [{ class: "unproven_rule" }] });
  }
});

test("K-DS-1 DG-11 DeepSeek's door for the Anthropic format gets the empty thinking that it asked for, then ahead", async () => {
  const { engine } = await open();
  const context = createProviderContext({ backend: "deepseek", accepts: ["A-SIG-18"] });
  const messages = [user("go"), assistant([call("a")]), user([result("a", "leek")])];
  const body = Buffer.from(JSON.stringify(request(messages, { model: "deepseek-v4-pro" })));
  const upstream = { name: "deepseek", url: "http://127.0.0.1:1", backend: "deepseek" } as const;
  const observed = { upstream, mode: "guard", method: "POST", path: "/v1/messages", headers: {}, body } as const;
  const answerTo = (sent: Uint8Array) => {
    const verdict = validateAnthropic(JSON.parse(Buffer.from(sent).toString()), context);
    const reply = Buffer.from(JSON.stringify("body" in verdict ? verdict.body : { type: "message" }));
    return { status: verdict.status, headers: { "content-type": "application/json" }, body: reply, complete: true };
  };
  const first = await engine.checkRequest(observed);
  expect(first.body).toBe(body);
  const rejected = answerTo(first.body);
  expect(engine.observeResponse(first, rejected).rejection).toMatchObject({ rule: "K-DS-1" });
  const retried = await engine.retryAfterRejection(first, rejected);
  const accepted = answerTo(retried!.body);
  expect(accepted.status).toBe(200);
  engine.observeResponse(retried!, accepted);
  expect(Buffer.from((await engine.checkRequest(observed)).body).equals(retried!.body)).toBe(true);
});

test("K-KIMIID-3 DG-11 an answer of 200 says nothing about a rule whose fault only costs the answer", async () => {
  const { engine } = await open();
  const messages = [
    { role: "user", content: "go" },
    {
      role: "assistant",
      tool_calls: [{ id: "functions_read_0", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "functions_read_0", content: "nine lamps" },
  ];
  const body = Buffer.from(JSON.stringify({ model: "kimi-k2", messages }));
  const upstream = { name: "local", url: "http://127.0.0.1:1", backend: "vllm" } as const;
  const observed = { upstream, method: "POST", path: "/v1/chat/completions", headers: {}, body };
  const response = { status: 200, headers: {}, body: Buffer.from("{}"), complete: true };
  engine.observeResponse(await engine.checkRequest({ ...observed, mode: "observe" }), response);
  expect(countOf(engine, "rule_refuted")).toBe(0);
  const checked = await engine.checkRequest({ ...observed, mode: "guard" });
  expect(Buffer.from(checked.body).toString()).toContain('"tool_call_id":"functions.read:0"');
});

test("DG-10 GW-10 a new rejection is explained as unknown, counted, and nothing is tried again", async () => {
  const { engine } = await open();
  const body = Buffer.from(JSON.stringify(request([user("go")])));
  const headers = { "x-api-key": "one" };
  const checked = await engine.checkRequest({
    upstream: ANTHROPIC,
    mode: "guard",
    method: "POST",
    path: "/v1/messages",
    headers,
    body,
  });
  const message = "messages.0: the moon is in the wrong house";
  const response = {
    status: 400,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })),
    complete: true,
  };
  expect(engine.observeResponse(checked, response).rejection).toMatchObject({
    rule: null,
    path: "/messages/0",
    message,
  });
  expect(await engine.retryAfterRejection(checked, response)).toBeNull();
  expect(engine.counters()).toContainEqual({
    name: "provider_rejection",
    labels: { status: "400", rule: "unknown" },
    count: 1,
  });
});

test("DG-27 GW-10 bound thinking that nobody remembers goes when the provider names it", async () => {
  const { engine } = await open();
  const more = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };
  const body = Buffer.from(
    JSON.stringify(request([user("go"), assistant([thinking("a"), text("x")]), user("y")], more)),
  );
  const headers = { "x-api-key": "one" };
  const checked = await engine.checkRequest({
    upstream: ANTHROPIC,
    mode: "guard",
    method: "POST",
    path: "/v1/messages",
    headers,
    body,
  });
  expect(checked.body).toBe(body);
  const message =
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  const error = { type: "error", error: { type: "invalid_request_error", message } };
  const response = {
    status: 400,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(error)),
    complete: true,
  };
  const retried = await engine.retryAfterRejection(checked, response);
  expect(JSON.parse(Buffer.from(retried!.body).toString()).messages[1].content).toEqual([text("x")]);
});

test("R-ENC-10 GW-10 after a restart sealed reasoning goes only when the endpoint says that it cannot open it", async () => {
  const { engine } = await open();
  const upstream = { name: "openai", url: "http://127.0.0.1:1", backend: "openai" } as const;
  const input = [
    { role: "user", content: "count" },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "eleven" }] },
    { role: "user", content: "and?" },
  ];
  const body = Buffer.from(JSON.stringify({ model: "gpt-5.5", store: false, input }));
  const headers = { authorization: "Bearer one" };
  const checked = await engine.checkRequest({
    upstream,
    mode: "guard",
    method: "POST",
    path: "/v1/responses",
    headers,
    body,
  });
  expect(checked.body).toBe(body);
  const rejected = (message: string) => ({
    status: 400,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ error: { message, type: "invalid_request_error", code: null } })),
    complete: true,
  });
  expect(await engine.retryAfterRejection(checked, rejected("Unknown parameter: 'input[0].colour'."))).toBeNull();
  const message = "The encrypted content for item rs_1 could not be verified.";
  const retried = await engine.retryAfterRejection(checked, rejected(message));
  expect(JSON.parse(Buffer.from(retried!.body).toString()).input).toEqual([input[0], input[2], input[3]]);
});

test("DG-44 a lane that went out degraded stays as the host sends it, until a repair after a rejection was taken", async () => {
  const { engine } = await open();
  const lenient = ["A-ASST-4"];
  const interleaved = assistant([thinking("a"), call("a"), thinking("b"), text("x")]);
  const messages = [user("go"), interleaved, user([result("a")])];
  expect(await play(engine, messages, {}, lenient)).toMatchObject({
    status: 200,
    checked: { record: { outcome: "degraded" } },
  });
  const second = [...messages, assistant([call("b")]), user("stop")];
  const latched = await play(engine, second, {}, lenient);
  expect(latched.sent[0]).toBe(latched.body);
  expect(latched).toMatchObject({ status: 200, sent: { length: 2 } });
  const third = await play(engine, [...second, assistant([text("ok")]), user("next")], {}, lenient);
  expect(third).toMatchObject({ status: 200, sent: { length: 1 }, checked: { record: { outcome: "repaired" } } });
});

test("DG-25 DG-26 a repaired tail keeps its bytes when it has become history, also after a restart", async () => {
  const { engine, store } = await open();
  let lapsed = 0;
  const check = async (tail: BodyRow, more: object): Promise<void> => {
    const first = await play(engine, [user("go"), tail], { more });
    expect(first.status).toBe(200);
    const sent = JSON.parse(Buffer.from(first.sent.at(-1)!).toString()).messages as BodyRow[];
    await engine.close();
    for (const running of [engine, (await open(store)).engine]) {
      const later = await play(running, [user("go"), tail, assistant([text("the reply")]), user("next")], { more });
      expect(later).toMatchObject({ status: 200, checked: { record: { outcome: "repaired" } } });
      expect(JSON.parse(Buffer.from(later.sent[0]!).toString()).messages.slice(0, sent.length)).toEqual(sent);
    }
    const other = await play(engine, [user("go"), tail, user("next")], { more });
    expect(other.sent[0]).toBe(other.body);
    expect(countOf(engine, "recipe_lapsed")).toBe(++lapsed);
  };
  await check(assistant([text("Here is")]), { model: "claude-opus-4-6" });
  await check(assistant([text("Here is ")]), { model: "claude-haiku-4-5" });
  await check(assistant([thinking("hm"), text("Here it is")]), { model: "claude-haiku-4-5" });
});

test("DG-26 GW-10 a made-up result that only the retry brought is held as well", async () => {
  const { engine } = await open();
  const more = { cache_control: { type: "ephemeral" } };
  const first = await play(engine, broken, { upstream: CLONE, more });
  expect(first).toMatchObject({ status: 200, sent: { length: 2 } });
  const rowsOf = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString()).messages as BodyRow[];
  const late = [...broken, assistant([text("ok")]), user([result("a", "eleven jars"), text("so?")])];
  const second = await play(engine, late, { upstream: CLONE, more });
  expect(rowsOf(second.sent.at(-1)!).slice(0, 4)).toEqual(rowsOf(first.sent[1]!));
  expect(Buffer.from(second.sent.at(-1)!).toString()).toContain("eleven jars");
});

test("GW-13 a lane keeps its id over a restart, and another history gets its own", async () => {
  const { engine, store } = await open();
  const start = [user("go"), assistant([call("a")]), user([result("a")])];
  const before = (await play(engine, start)).checked.record.lane;
  await engine.close();
  const again = await open(store);
  const later = await play(again.engine, [...start, assistant([text("ok")]), user("next")]);
  expect(later.checked.record.lane).toBe(before);
  expect((await play(again.engine, [user("other")])).checked.record.lane).not.toBe(before);
  const stranger = await play(again.engine, start, { headers: { "x-api-key": "two" } });
  expect(stranger.checked.record.lane).not.toBe(before);
});

test("GW-12 two engines on one store learn from each other", async () => {
  const { engine, store } = await open();
  const other = await open(store);
  await play(engine, broken, { upstream: CLONE });
  await engine.close();
  await vi.waitFor(
    async () => expect((await play(other.engine, broken, { upstream: CLONE })).sent).toHaveLength(1),
    15_000,
  );
  await other.engine.close();
});

test("DG-41 DG-43 acceptance 4: one unmodelled shape is one divergence over ten turns, also after a restart, and no byte moves", async () => {
  const { engine, store } = await open();
  let messages: readonly BodyRow[] = [user("go")];
  const seen: number[] = [];
  const turn = async (running: Engine): Promise<void> => {
    const body = Buffer.from(JSON.stringify(request([...messages, user("<notice>a host row</notice>")])));
    const { rows } = readAnthropicRequest(request(messages) as never);
    const prepared = { host: "pi", form: "wire", rows, edits: [], operation: null } as const;
    const headers = { "x-api-key": "one" };
    const observed = {
      upstream: ANTHROPIC,
      mode: "guard",
      method: "POST",
      path: "/v1/messages",
      headers,
      body,
      prepared,
    } as const;
    const checked = await running.checkRequest(observed);
    expect(checked.body).toBe(body);
    seen.push(checked.record.verdict.kind === "admit" ? 0 : 1);
    messages = [...messages, user("<notice>a host row</notice>"), assistant([text("ok")]), user("next")];
  };
  for (let nth = 0; nth < 5; nth++) await turn(engine);
  await engine.close();
  const again = await open(store);
  for (let nth = 0; nth < 5; nth++) await turn(again.engine);
  expect(seen).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(countOf(engine, "divergence_shape") + countOf(again.engine, "divergence_shape")).toBe(1);
});

test("DG-70 DG-74 counters survive a restart, and a store that is gone costs no turn", async () => {
  const { engine, store } = await open();
  await play(engine, broken);
  await engine.close();
  const counts = await store.counts();
  expect(counts.find(({ name, labels }) => name === "repair" && labels.rule === "A-PAIR-1")?.count).toBe(1);
  await store.close();
  const orphaned = await open(store);
  expect((await play(orphaned.engine, broken)).status).toBe(200);
  await orphaned.engine.close();
});

test("DG-75 GW-9 nothing that a record or the store holds tells the prompt, the credential or the session id", async () => {
  const { engine, store } = await open();
  const headers = { "x-api-key": "sk-planted-key", "x-claude-code-session-id": "planted-session" };
  const { checked, record } = await play(
    engine,
    [user("planted words"), assistant([call("a")]), user("more planted words")],
    { headers },
  );
  await engine.close();
  const kept = JSON.stringify([checked.record, record, await store.counts(), engine.counters()]);
  expect(kept).not.toMatch(/planted/);
  expect(checked.record.session).toMatch(/^[0-9a-f]{32}$/);
});
