/** Blocks that a caller injects: what the engine says where they are, are not, or are something else. */
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest, Engine, ObservedRequest } from "../../src/engine/engine.ts";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import { BLOCKS_MAX } from "../../src/engine/receipt-book.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, call, request, result, text, user } from "../dispatch/anthropic-body.ts";
import * as items from "../dispatch/responses-body.ts";

const hashKey = Buffer.alloc(32, 7);
const upstream = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;
const openai = { name: "openai", url: "http://127.0.0.1:1", backend: "openai" } as const;
const headers = { "x-api-key": "one", "x-session-affinity": "garden" };
const session = { upstream, headers };

const memory = "Notes on the garden:\n- the jars stand in the cellar\n- the plums are for Ada";
const newer = memory.replace("cellar", "kitchen");

const start = [user([text("Count the jars."), text(memory)])];
const counted = [...start, assistant("Eleven."), user("And the plums?")];

async function open(store: EventStore = openMemoryStore()): Promise<Engine> {
  return await createEngine({ store, hashKey });
}

async function send(engine: Engine, messages: readonly BodyRow[], more: Partial<ObservedRequest> = {}, body = {}) {
  return await engine.checkRequest({
    ...{ upstream, mode: "guard", method: "POST", path: "/v1/messages", headers },
    body: Buffer.from(JSON.stringify(request(messages, body))),
    ...more,
  });
}

function rulesOf({ record: { verdict } }: CheckedRequest): string[] {
  const hard = verdict.kind === "unsafe" ? verdict.hard : [];
  return hard.filter(({ origin }) => origin === "own").map(({ rule }) => rule);
}

/** Our own rules that fire on the last of several requests. */
async function rulesAfter(engine: Engine, ...histories: readonly (readonly BodyRow[])[]): Promise<string[]> {
  let rules: string[] = [];
  for (const history of histories) rules = rulesOf(await send(engine, history));
  return rules;
}

/** The same history with the block replaced by something else, or by nothing. */
function without(history: readonly BodyRow[], instead = ""): BodyRow[] {
  return history.map((row) => {
    if (typeof row.content === "string") return row;
    const content = row.content.flatMap((block) => {
      const words = (block as { text?: string }).text?.replace(memory, instead);
      return words === undefined ? [block] : words === "" ? [] : [text(words)];
    });
    return { ...row, content };
  });
}

async function injected(store?: EventStore): Promise<Engine> {
  const engine = await open(store);
  expect(engine.inject(session, { name: "memory", text: memory })).toEqual({ kind: "carry" });
  return engine;
}

test("DG-60 a block that is there is no news, wherever the host has put it", async () => {
  for (const history of [
    counted,
    [user(`Count the jars.\n\n${memory}`)],
    [user("Count the jars."), assistant([call("a")]), user([result("a"), text(memory)])],
    [user("Count the jars."), { role: "system", content: memory }],
    [user([text("Count the jars."), text(`<system-reminder>\n${memory}\n</system-reminder>`)])],
  ]) {
    const engine = await injected();
    expect(await rulesAfter(engine, start, history)).toEqual([]);
  }
  const engine = await injected();
  const inSystem = await send(engine, [user("Count the jars.")], {}, { system: [text("You garden."), text(memory)] });
  expect(inSystem.record.verdict).toEqual({ kind: "admit" });
});

test("DG-62 OWN-LOST: the conversation goes on without the block; the host's own bytes go out, and it is counted", async () => {
  const engine = await injected();
  await send(engine, start);
  const body = Buffer.from(JSON.stringify(request(without(counted))));
  const lost = await send(engine, [], { body });
  expect(lost.record).toMatchObject({
    outcome: "degraded",
    verdict: { kind: "unsafe", hard: [{ rule: "OWN-LOST", origin: "own", repair: null }] },
  });
  expect(lost.body).toBe(body);
  expect(engine.counters()).toContainEqual({
    name: "own_block",
    labels: { api: "anthropic-messages", backend: "anthropic", rule: "OWN-LOST" },
    count: 1,
  });
});

test("DG-62 a compaction, a branch, a side request and another session lose nothing", async () => {
  for (const history of [
    [user("A summary of all before."), ...counted.slice(1)],
    [user("A summary of all before.")],
    [user("Make a title: Count the jars.")],
    [user("Count the pears instead."), assistant("Three."), user("Good.")],
  ]) {
    expect(await rulesAfter(await injected(), start, counted, history)).toEqual([]);
  }
  const engine = await injected();
  await send(engine, start);
  const other = { headers: { ...headers, "x-session-affinity": "kitchen" } };
  expect(rulesOf(await send(engine, without(counted), other))).toEqual([]);
});

test("DG-62 a branch before the block has no part of it", async () => {
  const late = [user("Hello."), assistant("Hi."), user([text("Count the jars."), text(memory)])];
  const further = [...late, assistant("Eleven."), user("Good.")];
  const branch = [user("Hello."), assistant("Hi."), user("Count the pears."), assistant("Three."), user("Good.")];
  expect(await rulesAfter(await injected(), late, further, branch)).toEqual([]);
});

test("DG-62 OWN-TWICE: but not where an agent has read it from a file, or the model has quoted it", async () => {
  const twice = [...counted.slice(0, -1), user([text("And the plums?"), text(memory)])];
  expect(await rulesAfter(await injected(), start, twice)).toEqual(["OWN-TWICE"]);
  const read = [...start, assistant([call("a")]), user([result("a", memory)])];
  expect(await rulesAfter(await injected(), start, read)).toEqual([]);
  const quoted = [...start, assistant(memory), user("Yes.")];
  expect(await rulesAfter(await injected(), start, quoted)).toEqual([]);
});

test("DG-62 OWN-STALE: an older version is still there, or there again; the newer one takes its place silently", async () => {
  const engine = await injected();
  await send(engine, start);
  engine.inject(session, { name: "memory", text: newer });
  expect(await rulesAfter(engine, without(counted, newer))).toEqual([]);
  expect(await rulesAfter(engine, [...without(counted, newer), assistant("Nine."), user(memory)])).toEqual([
    "OWN-STALE",
  ]);
  const late = await injected();
  await send(late, start);
  late.inject(session, { name: "memory", text: newer });
  expect(await rulesAfter(late, counted)).toEqual(["OWN-STALE"]);
});

test("DG-62 OWN-TEXT: one other character; what a host trims of its own results stays soft", async () => {
  for (const [from, to] of [
    ["plums", "plans"],
    ["Notes", "Words"],
    ["- the plums are for Ada", "[dropped]"],
  ] as const) {
    const changed = without(counted, memory.replace(from, to));
    expect(await rulesAfter(await injected(), start, changed), to).toEqual(["OWN-TEXT"]);
    const merged = [user(`Count the jars.\n\n${memory.replace(from, to)}`), ...counted.slice(1)];
    expect(await rulesAfter(await injected(), start, merged), to).toEqual(["OWN-TEXT"]);
    const further = [...changed, assistant("Nine."), user("Good.")];
    expect(await rulesAfter(await injected(), start, changed, further), to).toEqual([]);
  }
  const trimmed = [...start, assistant([call("a")]), user([result("a", "[dropped 12]")])];
  expect(await rulesAfter(await injected(), start, trimmed)).toEqual([]);
});

test("DG-62 a block that is retired belongs nowhere any more", async () => {
  const engine = await injected();
  await send(engine, start);
  engine.retire(session, "memory");
  expect(await rulesAfter(engine, without(counted))).toEqual([]);
  expect(await rulesAfter(engine, counted)).toEqual([]);
});

test("DG-62 a block that a host's hook returned and its payload lacks is lost with the first request", async () => {
  const engine = await injected();
  const history = [user("Count the jars."), user(memory)];
  const rows = readAnthropicRequest(request(history) as never).rows;
  const prepared = { host: "pi", form: "host", rows, edits: [], operation: null } as const;
  expect(rulesOf(await send(engine, history, { prepared }))).toEqual([]);
  expect(rulesOf(await send(engine, [user("Count the pears.")], { prepared }))).toEqual(["OWN-LOST"]);
});

test("DG-44 who has lost a block goes on without it, until another model, a branch or a compaction opens a new prefix", async () => {
  const lost = without(counted);
  const further = [...lost, assistant("Nine."), user("Good.")];
  const ask = (engine: Engine, words = memory) => engine.inject(session, { name: "memory", text: words });
  const gone = async (clock?: { now(): number }) => {
    const engine = await createEngine({ store: openMemoryStore(), hashKey, ...(clock && { clock }) });
    ask(engine);
    expect(await rulesAfter(engine, start, lost)).toEqual(["OWN-LOST"]);
    expect(ask(engine)).toMatchObject({ kind: "leave-out" });
    expect(ask(engine, newer)).toMatchObject({ kind: "leave-out" });
    return engine;
  };
  const stays = await gone();
  expect(await rulesAfter(stays, [user("Make a title.")], further)).toEqual([]);
  expect(ask(stays)).toMatchObject({ kind: "leave-out" });
  const otherModel = await gone();
  expect(rulesOf(await send(otherModel, further, {}, { model: "claude-opus-4-1" }))).toEqual([]);
  expect(ask(otherModel)).toEqual({ kind: "carry" });
  const compacted = [user("A summary of all before."), assistant("I see."), user("Good.")];
  const afterCompaction = await gone();
  await rulesAfter(afterCompaction, compacted.slice(0, 1), compacted);
  expect(ask(afterCompaction)).toEqual({ kind: "carry" });
  let now = 1_000;
  const late = await gone({ now: () => now });
  now += 25 * 60 * 60 * 1000;
  expect(ask(late)).toEqual({ kind: "carry" });
});

test("DG-60 DG-75 receipts, what was carried and the latch outlive the process, and hold no text", async () => {
  const store = openMemoryStore();
  const first = await injected(store);
  await rulesAfter(first, start, counted);
  await first.close();
  const second = await open(store);
  const further = [...counted, assistant("Nine."), user("Good.")];
  expect(await rulesAfter(second, without(further))).toEqual(["OWN-LOST"]);
  await second.close();
  const third = await open(store);
  expect(third.inject(session, { name: "memory", text: memory })).toMatchObject({ kind: "leave-out" });
  expect(await rulesAfter(third, without([...further, assistant("Yes."), user("On.")]))).toEqual([]);
  expect(third.inject(session, { name: "memory", text: memory })).toMatchObject({ kind: "leave-out" });
  await third.close();
  const kept: string[] = [];
  for (const stream of ["engine/receipts", "engine/prefixes"]) {
    for (const { data } of await store.read(ENGINE_OWNER, stream)) kept.push(Buffer.from(data).toString());
  }
  // The receipt, and what each of the three processes knew.
  expect(kept).toHaveLength(4);
  expect(kept.join()).not.toMatch(/memory|garden|jars|plums/);
});

/** One accepted turn of a Responses client that sends only what is new. */
async function chained(engine: Engine, input: readonly object[], answer: string | null, previous?: string) {
  const more = { store: true, ...(previous !== undefined && { previous_response_id: previous }) };
  const body = Buffer.from(JSON.stringify(items.request(input, more)));
  const checked = await send(engine, [], { upstream: openai, path: "/v1/responses", body });
  const reply = { id: answer, object: "response", status: "completed", output: [items.said("Eleven.")] };
  engine.observeResponse(checked, {
    ...{ status: 200, headers: { "content-type": "application/json" }, complete: true },
    body: Buffer.from(JSON.stringify(reply)),
  });
  return checked;
}

test("DG-61 CHAIN: a delta carries no block, and is right where it continues the last accepted answer", async () => {
  const engine = await open();
  engine.inject({ upstream: openai, headers }, { name: "memory", text: memory });
  const first = [items.user("Count the jars."), items.developer(memory)];
  expect(rulesOf(await chained(engine, first, "resp_1"))).toEqual([]);
  const delta = await chained(engine, [items.user("And the plums?")], "resp_2", "resp_1");
  expect(delta.record.verdict).toMatchObject({ kind: "admit-unverified", soft: [{ class: "chained_delta" }] });
  expect(rulesOf(await chained(engine, [items.user("Again.")], "resp_3", "resp_1"))).toEqual(["CHAIN"]);
  expect(rulesOf(await chained(engine, [items.user("Hm.")], null, "resp_forged"))).toEqual(["CHAIN"]);
  const replay = [
    ...first,
    items.said("Eleven."),
    items.user("And the plums?"),
    items.said("Nine."),
    items.user("On."),
  ];
  expect(rulesOf(await chained(engine, replay, "resp_4"))).toEqual([]);
  expect(
    rulesOf(
      await chained(
        engine,
        replay.filter((item) => item !== first[1]),
        "resp_5",
      ),
    ),
  ).toEqual(["OWN-LOST"]);
});

test("DG-61 without a kept history, or in a session without blocks, a delta is only unverified", async () => {
  const store = openMemoryStore();
  const before = await open(store);
  before.inject({ upstream: openai, headers }, { name: "memory", text: memory });
  await chained(before, [items.user("Count the jars."), items.developer(memory)], "resp_1");
  await before.close();
  for (const engine of [await open(store), await open()]) {
    expect(rulesOf(await chained(engine, [items.user("On.")], "resp_9", "resp_1"))).toEqual([]);
    expect(rulesOf(await chained(engine, [items.user("On.")], "resp_10", "resp_7"))).toEqual([]);
  }
});

test("DG-60 too short a text, and one block too many, are not watched", async () => {
  const engine = await open();
  expect(engine.inject(session, { name: "a", text: "short" })).toEqual({ kind: "unwatched", reason: "too_short" });
  for (let nth = 0; nth < BLOCKS_MAX; nth++) engine.inject(session, { name: `${nth}`, text: `${nth} ${memory}` });
  expect(engine.inject(session, { name: "a", text: memory })).toEqual({ kind: "unwatched", reason: "too_many" });
});

test("DG-63 a billing line that is new in every request moves no prefix and opens no lane, and is counted by its name", async () => {
  const engine = await open();
  const line = (sum: string) => ({ type: "text", text: `x-anthropic-billing-header: cc_version=2.1; cch=${sum};` });
  const sent = async (sum: string, prompt: string, messages: readonly BodyRow[]) =>
    await send(engine, messages, {}, { system: [line(sum), { type: "text", text: prompt }] });
  const first = await sent("00a1b", "You garden.", start);
  const second = await sent("7c3d9", "You garden.", counted);
  expect(second.record.lane).toBe(first.record.lane);
  expect(second.before).toBeNull();
  const moved = await sent("81f00", "You garden. Today is Friday.", [...counted, assistant("Nine."), user("Go on.")]);
  expect(moved.before).not.toBeNull();
  const counters = engine.counters().filter(({ name }) => name === "volatile_block");
  expect(counters).toMatchObject([{ labels: { name: "billing-line" }, count: 3 }]);
});
