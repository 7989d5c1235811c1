/** The acceptance criteria of the proposal, under its own numbers, through the gateway. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";
import { openSession } from "./gateway-session.ts";

/** Long enough to be cached, with the markers that agents set: tools, and the newest row. */
function marked(messages: readonly BodyRow[], more: object = {}): object {
  const last = messages.at(-1)!;
  const content = typeof last.content === "string" ? [text(last.content)] : last.content;
  const marker = { cache_control: { type: "ephemeral" } };
  const blocks = content.map((block, index) => (index === content.length - 1 ? { ...block, ...marker } : block));
  const system = [{ type: "text", text: "You keep a garden diary. ".repeat(400), ...marker }];
  return request([...messages.slice(0, -1), { ...last, content: blocks }], { system, ...more });
}

const broken: readonly BodyRow[] = [
  user("Count the jars."),
  assistant([text("I count."), call("a")]),
  user("Never mind, say hello."),
];

/** The history as an agent goes on with it: what it sent, the reply, and new words. */
const goOn = (messages: readonly BodyRow[], reply: unknown, words: string): BodyRow[] => [
  ...messages,
  assistant(reply as object[]),
  user(words),
];

test("DG-21 acceptance 2: a session that would be rejected for ever goes on, and reads its repaired prefix from the cache", async () => {
  const { provider, post, restart, storePath } = await openSession();
  expect(
    (await fetch(`${provider.url}/v1/messages`, { method: "POST", body: JSON.stringify(marked(broken)) })).status,
  ).toBe(400);
  let messages: readonly BodyRow[] = broken;
  const reads: number[] = [];
  const turn = async (words: string): Promise<void> => {
    const { status, json } = await post(marked(messages));
    expect(status).toBe(200);
    const { read, written, uncached } = provider.meter.turns.at(-1)!;
    reads.push(read / (read + written + uncached));
    messages = goOn(messages, json.content, words);
  };
  await turn("And now?");
  await turn("Go on.");
  await restart();
  await turn("Still there?");
  const lock = new DatabaseSync(storePath);
  lock.exec("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE");
  await turn("And with the store locked?");
  lock.exec("ROLLBACK");
  lock.close();
  for (const share of reads.slice(1)) expect(share).toBeGreaterThan(0.9);
});

test("DG-5 acceptance 3: the bytes of admitted turns are those with the gate off", async () => {
  const guarded = await openSession("guard");
  const observed = await openSession("observe");
  const bodies = [
    '{"max_tokens":6.4e1,"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"\\u0061 caf\\u00e9"}]}',
    JSON.stringify(marked([user("go")]), null, 2),
    JSON.stringify(request([user("go"), assistant([call("a"), { type: "from_the_future" }]), user("on")])),
  ];
  for (const body of bodies) {
    await guarded.post(body);
    await observed.post(body);
    expect(guarded.lastBody()).toBe(body);
    expect(observed.lastBody()).toBe(body);
  }
});

test("DG-5 acceptance 4: a session with one shape that nobody knows keeps its prefix for ten turns", async () => {
  const { provider, post } = await openSession("guard");
  const unknown = assistant([text("Look:"), { type: "from_the_future" }]);
  let messages: readonly BodyRow[] = [user("go"), unknown, user("and?")];
  const written: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const { status, json } = await post(marked(messages));
    expect(status).toBe(200);
    written.push(provider.meter.turns.at(-1)!.written);
    messages = goOn(messages, json.content, `turn ${turn}`);
  }
  expect(Math.max(...written.slice(1))).toBeLessThan(written[0]! / 10);
});

test("DG-64 a thread is continued only where the provider keeps it; elsewhere the client is told to send everything", async () => {
  const more = { model: "claude-opus-5-5", thread: { type: "continue", previous_message_id: "msg_1" } };
  const own = await openSession("guard", { unknownAnchors: "accept" });
  expect((await own.post(request([user("next")], more))).status).toBe(200);
  const copy = await openSession("guard", { unknownAnchors: "accept" }, "unknown");
  const { status, json } = await copy.post(request([user("next")], more));
  expect(status).toBe(400);
  expect(json).toMatchObject({ error: { details: { error_code: "thread_unsupported_request" } } });
  expect(copy.provider.requests).toHaveLength(0);
});

test("DG-4 acceptance 1: a request that only looks unusual is never refused", async () => {
  const { post } = await openSession("guard");
  const unusual = [
    [user("a"), user("b"), assistant([call("x")]), user([result("x")]), user("c")],
    [user("a"), assistant([call("x"), call("y")]), user([result("y")]), user([result("x"), text("and more")])],
  ];
  for (const messages of unusual) expect((await post(request(messages))).status).toBe(200);
});
