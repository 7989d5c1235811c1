/** A result that comes when its call has been answered for it (DG-26), on every api, over turns and restarts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest, Engine } from "../../src/engine/engine.ts";
import type { EventStore } from "../../src/store/event-store.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createProviderContext, validateRequest } from "../../src/testing/index.ts";
import type { Api, Backend } from "../../src/wire/api.ts";
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as bedrock from "../dispatch/converse-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import { temporaryFolder } from "../store/temporary-folder.ts";

const MINUTE_MS = 60_000;
const REAL = "a.txt: eleven jars";

interface Case {
  readonly api: Api;
  readonly backend: Backend;
  readonly path: string;
  readonly rows: "messages" | "input";
  readonly lifetimeMs: number;
  readonly otherModel: string;
  body(rows: readonly object[], more?: object): object;
  /** A call that nobody answers, and what the user says instead. */
  readonly interrupted: readonly object[];
  reply(words: string): object;
  said(words: string): object;
  readonly late: readonly object[];
  /** Ends of call ids, those among them that the api does not take. */
  readonly idEnds: readonly string[];
  /** A batch of calls, and what the host sends behind it: results of any batch, and words. */
  called(ids: readonly string[]): readonly object[];
  answers(ids: readonly string[], words: string | null): readonly object[];
}

const marked = { cache_control: { type: "ephemeral" } };

const cases: readonly Case[] = [
  {
    api: "anthropic-messages",
    backend: "anthropic",
    path: "/v1/messages",
    rows: "messages",
    lifetimeMs: 5 * MINUTE_MS,
    otherModel: "claude-haiku-4-5",
    body: (rows, more = {}) => anthropic.request(rows, { ...marked, ...more }),
    interrupted: [anthropic.user("go"), anthropic.assistant([anthropic.call("a")]), anthropic.user("stop")],
    reply: (words) => anthropic.assistant([anthropic.text(words)]),
    said: (words) => anthropic.user(words),
    late: [anthropic.user([anthropic.result("a", REAL)])],
    idEnds: ["", "|fc_1"],
    called: (ids) => [anthropic.assistant(ids.map(anthropic.call))],
    answers(ids, words) {
      const results = ids.map((id) => anthropic.result(id, `real ${id}.`));
      return [anthropic.user([...results, ...(words === null ? [] : [anthropic.text(words)])])];
    },
  },
  {
    api: "bedrock-converse-stream",
    backend: "bedrock",
    path: "/model/us.anthropic.claude-sonnet-4-5/converse",
    rows: "messages",
    lifetimeMs: 5 * MINUTE_MS,
    otherModel: "us.anthropic.claude-haiku-4-5",
    body: (rows, more = {}) =>
      bedrock.request(rows, { system: [{ text: "s" }, { cachePoint: { type: "default" } }], ...more }),
    interrupted: [bedrock.user("go"), bedrock.assistant(bedrock.call("a")), bedrock.user("stop")],
    reply: (words) => bedrock.assistant(words),
    said: (words) => bedrock.user(words),
    late: [bedrock.user(bedrock.result("a", REAL))],
    idEnds: [""],
    called: (ids) => [bedrock.assistant(...ids.map(bedrock.call))],
    answers(ids, words) {
      const results = ids.map((id) => bedrock.result(id, `real ${id}.`));
      return [bedrock.user(...results, ...(words === null ? [] : [words]))];
    },
  },
  {
    api: "openai-completions",
    backend: "openai",
    path: "/v1/chat/completions",
    rows: "messages",
    lifetimeMs: 60 * MINUTE_MS,
    otherModel: "gpt-5.1",
    body: chat.request,
    interrupted: [chat.user("go"), chat.calling(["a"]), chat.user("stop")],
    reply: chat.assistant,
    said: (words) => chat.user(words),
    late: [chat.answer("a", REAL)],
    idEnds: ["", "|fc_1"],
    called: (ids) => [chat.calling(ids)],
    answers: (ids, words) => [
      ...ids.map((id) => chat.answer(id, `real ${id}.`)),
      ...(words === null ? [] : [chat.user(words)]),
    ],
  },
  {
    api: "openai-responses",
    backend: "openai",
    path: "/v1/responses",
    rows: "input",
    lifetimeMs: 60 * MINUTE_MS,
    otherModel: "gpt-5.1",
    body: responses.request,
    interrupted: [responses.user("go"), responses.call("a"), responses.user("stop")],
    reply: responses.said,
    said: responses.user,
    late: [responses.output("a", REAL)],
    idEnds: ["", "x".repeat(70)],
    called: (ids) => ids.map((id) => responses.call(id)),
    answers: (ids, words) => [
      ...ids.map((id) => responses.output(id, `real ${id}.`)),
      ...(words === null ? [] : [responses.user(words)]),
    ],
  },
];

/** One agent in front of an engine whose clock and store the test holds. */
class Agent {
  now = 1_000_000;
  engine!: Engine;
  readonly store: EventStore;
  readonly #case: Case;

  constructor(one: Case, store: EventStore) {
    this.#case = one;
    this.store = store;
  }

  async start(): Promise<this> {
    const clock = { now: () => this.now };
    this.engine = await createEngine({ store: this.store, hashKey: Buffer.alloc(32, 7), clock });
    return this;
  }

  async restart(): Promise<void> {
    await this.engine.close();
    await this.start();
  }

  /** The rows that the provider gets, which it has to take. @param status what it answers all the same */
  async send(rows: readonly object[], { model = "", more = {}, status = 200 } = {}) {
    const { api, backend, body } = this.#case;
    const path = model === "" ? this.#case.path : this.#case.path.replace(/(?<=model.)[^/]+/, model);
    const bytes = Buffer.from(JSON.stringify(body(rows, model === "" ? more : { ...more, model })));
    const upstream = { name: "up", url: "http://127.0.0.1:1", backend };
    const headers = { authorization: "Bearer one" };
    const checked = await this.engine.checkRequest({
      ...{ upstream, mode: "guard", method: "POST", path, headers, body: bytes },
    });
    const sent = JSON.parse(Buffer.from(checked.body).toString());
    expect(validateRequest(api, sent, createProviderContext({ backend: backend as "openai" }))).toMatchObject({
      status: 200,
    });
    this.#answer(checked, status);
    return { checked, rows: sent[this.#case.rows] as object[] };
  }

  /** A turn at a provider that takes everything. */
  async sendToAny(rows: readonly object[], mode: "observe" | "guard" = "guard"): Promise<string> {
    const body = Buffer.from(JSON.stringify(this.#case.body(rows)));
    const upstream = { name: "up", url: "http://127.0.0.1:1", backend: this.#case.backend };
    const request = { upstream, mode, method: "POST", path: this.#case.path, body } as const;
    const checked = await this.engine.checkRequest({ ...request, headers: { authorization: "Bearer one" } });
    this.#answer(checked, 200);
    return Buffer.from(checked.body).toString();
  }

  #answer(checked: CheckedRequest, status: number): void {
    const headers = { "content-type": "application/json" };
    this.engine.observeResponse(checked, { status, headers, body: Buffer.from("{}"), complete: true });
  }

  count(name: string): number {
    return this.engine.counters().reduce((sum, counter) => (counter.name === name ? sum + counter.count : sum), 0);
  }
}

const agentOf = (one: Case, store: EventStore = openMemoryStore()) => new Agent(one, store).start();

describe.each(cases)("$api", (one) => {
  const { interrupted, reply, said, late, lifetimeMs } = one;
  const answered = [...interrupted, reply("fine"), ...late];

  test("DG-26 while the cache lives a late result is appended as text, and the prefix stays byte for byte", async () => {
    const agent = await agentOf(one);
    const first = await agent.send(interrupted);
    expect(JSON.stringify(first.rows)).toContain("No result:");
    agent.now += lifetimeMs - 1;
    const second = await agent.send(answered);
    expect(second.rows.slice(0, first.rows.length)).toEqual(first.rows);
    expect(JSON.stringify(second.rows.slice(first.rows.length))).toContain(REAL);
    expect(second.checked.record.outcome).toBe("repaired");
    agent.now += lifetimeMs - 1;
    const third = await agent.send([...answered, reply("I see"), said("next")]);
    expect(third.rows.slice(0, second.rows.length)).toEqual(second.rows);
    expect(agent.count("recipe_lapsed")).toBe(0);
  });

  test("DG-26 with the cache gone the real result takes its place, once and for good", async () => {
    const agent = await agentOf(one);
    const first = await agent.send(interrupted);
    await agent.send(answered);
    agent.now += lifetimeMs;
    const moved = await agent.send([...answered, reply("I see"), said("next")]);
    expect(JSON.stringify(moved.rows)).not.toContain("No result:");
    expect(JSON.stringify(moved.rows)).not.toContain("came late");
    expect(moved.rows.slice(0, first.rows.length)).not.toEqual(first.rows);
    expect(agent.count("recipe_lapsed")).toBe(1);
    const next = await agent.send([...answered, reply("I see"), said("next"), reply("so"), said("more")]);
    expect(next.rows.slice(0, moved.rows.length)).toEqual(moved.rows);
    await agent.restart();
    const later = await agent.send([...answered, reply("I see"), said("next"), reply("so"), said("more")]);
    expect(later.rows).toEqual(next.rows);
  });

  test("DG-26 what no provider has taken holds nothing: the real result takes its place at once", async () => {
    const agent = await agentOf(one);
    await agent.send(interrupted, { status: 529 });
    const second = await agent.send(answered);
    expect(JSON.stringify(second.rows)).not.toContain("No result:");
    expect(JSON.stringify(second.rows)).not.toContain("came late");
  });

  test("DG-26 another model has a cache of its own", async () => {
    const agent = await agentOf(one);
    await agent.send(interrupted);
    await agent.send(answered);
    const switched = await agent.send(answered, { model: one.otherModel });
    expect(JSON.stringify(switched.rows)).not.toContain("No result:");
    expect((await agent.send(answered)).rows).toEqual(switched.rows);
  });

  test("DG-26 DG-44 a restart on the same store changes neither the made-up result nor the text", async () => {
    const path = `${temporaryFolder()}/store.db`;
    const agent = await agentOf(one, await openStore(`sqlite:${path}`));
    const first = await agent.send(interrupted);
    await agent.restart();
    const second = await agent.send(answered);
    expect(second.rows.slice(0, first.rows.length)).toEqual(first.rows);
    agent.now += lifetimeMs - 1;
    await agent.restart();
    const third = await agent.send([...answered, reply("I see"), said("next")]);
    expect(third.rows.slice(0, second.rows.length)).toEqual(second.rows);
    await agent.engine.close();
    await agent.store.close();
  });

  test("DG-26 a host that puts the real result into its place is not corrected", async () => {
    const agent = await agentOf(one);
    await agent.send(interrupted);
    const rows = [...interrupted.slice(0, 2), ...late, ...interrupted.slice(2), reply("fine"), said("next")];
    expect(await agent.sendToAny(rows)).toBe(JSON.stringify(one.body(rows)));
    expect(agent.count("recipe_lapsed")).toBe(1);
  });

  test("DG-26 DG-44 whatever comes late, and in which order, no row that was sent ever changes and nothing is lost", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.constantFrom(...one.idEnds), async (turns, end) => {
        const agent = await agentOf(one);
        const history: object[] = [said("go")];
        let open: string[] = [];
        let sent: readonly object[] = [];
        for (const [nth, { calls, answered: share, words, late: wanted, rest, restarts }] of turns.entries()) {
          const turn = await agent.send(history);
          expect(turn.rows.slice(0, sent.length)).toEqual(sent);
          for (const [real] of JSON.stringify(history).matchAll(/real call_\d+_\d[^."]*\./g)) {
            expect(JSON.stringify(turn.rows)).toContain(real);
          }
          sent = turn.rows;
          agent.now += rest ? lifetimeMs - 1 : 1;
          if (restarts) await agent.restart();
          const ids = Array.from({ length: calls }, (_, index) => `call_${nth}_${index}${end}`);
          const prompt = ids.filter((_, index) => (share >> index) % 2 === 1);
          const coming = open.filter((_, index) => (wanted >> index) % 2 === 1);
          open = [...open.filter((id) => !coming.includes(id)), ...ids.filter((id) => !prompt.includes(id))];
          const speaks = words || prompt.length + coming.length === 0;
          history.push(...(calls === 0 ? [reply(`reply ${nth}`)] : one.called(ids)));
          history.push(...one.answers([...prompt, ...coming], speaks ? `words ${nth}` : null));
        }
        expect(agent.count("recipe_lapsed")).toBe(0);
        await agent.engine.close();
      }),
      { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 2_000) / 10 },
    );
  });
});

const [messages] = cases as [Case];

test("DG-26 a request without a cache marker writes no cache at Anthropic, so nothing is held", async () => {
  const agent = await agentOf({ ...messages, body: anthropic.request });
  await agent.send(messages.interrupted);
  const { rows } = await agent.send([...messages.interrupted, messages.reply("fine"), ...messages.late]);
  expect(JSON.stringify(rows)).not.toMatch(/No result:|came late/);
});

test("DG-26 a marker of one hour holds for one hour, wherever it stands", async () => {
  const { user, assistant, text, result, request } = anthropic;
  const system = [{ ...text("be brief"), cache_control: { type: "ephemeral", ttl: "1h" } }];
  const agent = await agentOf({ ...messages, body: (rows) => request(rows, { system }) });
  const first = await agent.send(messages.interrupted);
  const rows = [...messages.interrupted, assistant([text("fine")]), user([result("a", REAL)])];
  agent.now += 60 * MINUTE_MS - 1;
  expect((await agent.send(rows)).rows.slice(0, 3)).toEqual(first.rows.slice(0, 3));
  agent.now += 60 * MINUTE_MS;
  expect(JSON.stringify((await agent.send(rows)).rows)).not.toMatch(/No result:|came late/);
});

test("DG-26 DG-27 thinking that is bound to a made-up result holds it for as long as it stands behind it", async () => {
  const { user, assistant, text, thinking, result, request } = anthropic;
  const more = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };
  const agent = await agentOf({ ...messages, body: (rows) => request(rows, more) });
  const first = await agent.send(messages.interrupted);
  agent.now += 24 * 60 * MINUTE_MS;
  const rows = (reply: object[]) => [...messages.interrupted, assistant(reply), user([result("a", REAL)])];
  const bound = await agent.sendToAny(rows([thinking("hm"), text("fine")]));
  expect(JSON.parse(bound).messages.slice(0, first.rows.length)).toEqual(first.rows);
  expect(await agent.sendToAny(rows([text("fine")]))).not.toMatch(/No result:|came late/);
});

test("DG-26 a result that comes in the same turn, behind what the user said, is late too", async () => {
  const agent = await agentOf(messages);
  const first = await agent.send(messages.interrupted);
  const second = await agent.send([...messages.interrupted, ...messages.late]);
  expect(second.rows.slice(0, first.rows.length)).toEqual(first.rows);
  expect(JSON.stringify(second.rows.at(-1))).toContain(REAL);
});

test("DG-26 DG-11 a rule that lost its power makes nothing again, and holds no result back", async () => {
  const agent = await agentOf(messages);
  await agent.send(messages.interrupted);
  await agent.sendToAny([...messages.interrupted, messages.reply("fine"), messages.said("next")], "observe");
  const rows = [...messages.interrupted, messages.reply("fine"), ...messages.late];
  expect(await agent.sendToAny(rows)).not.toMatch(/No result:|came late/);
});

/** Bits of `answered` and `late` say which calls of the batch, and which open ones, get their results now. */
const script = fc.array(
  fc.record({
    calls: fc.nat({ max: 3 }),
    answered: fc.nat({ max: 7 }),
    words: fc.boolean(),
    late: fc.nat({ max: 7 }),
    rest: fc.boolean(),
    restarts: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);
