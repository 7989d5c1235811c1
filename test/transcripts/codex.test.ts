import { expect, test } from "vitest";
import { type ModelPrice, PriceTable } from "../../src/cache/price.ts";
import { scanFiles, toLines } from "./scan-files.ts";

const threadId = "cccccccc-0000-4000-8000-000000000003";

class CodexSession {
  readonly rows: Record<string, unknown>[] = [];
  readonly #id: string;
  #ms = 0;

  constructor(id = threadId, meta: Record<string, unknown> = {}) {
    this.#id = id;
    this.add("session_meta", { id, cli_version: "0.140.0", ...meta }).add("turn_context", { model: "gpt-5.5" });
  }

  get name(): string {
    return `rollout-2026-03-14T09-00-00-${this.#id}.jsonl`;
  }

  /** @param stepMs time since the row before */
  add(type: string, payload: Record<string, unknown>, stepMs = 2000): this {
    this.#ms += stepMs;
    this.rows.push({ timestamp: new Date(Date.UTC(2026, 2, 14, 9) + this.#ms).toISOString(), type, payload });
    return this;
  }

  user(text: string): this {
    return this.add("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] });
  }

  call(id: string, name = "exec_command"): this {
    return this.add("response_item", { type: "function_call", name, arguments: "{}", call_id: id });
  }

  output(id: string): this {
    return this.add("response_item", { type: "function_call_output", call_id: id, output: "done" });
  }

  count(total: number[] | null, last: number[] = [], stepMs = 2000): this {
    const info = total === null ? null : { total_token_usage: toUsage(total), last_token_usage: toUsage(last) };
    return this.add("event_msg", { type: "token_count", info }, stepMs);
  }

  record(id: string, usage: number[]): this {
    return this.add("token_usage_record", { response_id: id, thread_id: this.#id, usage: toUsage(usage) });
  }
}

function toUsage([input = 0, cached = 0, output = 0]: number[]) {
  return { input_tokens: input, cached_input_tokens: cached, output_tokens: output, total_tokens: input + output };
}

async function scanOne(session: CodexSession) {
  const { sessions } = await scanFiles({ [session.name]: toLines(session.rows) });
  return sessions[0]!;
}

test("SC-8 repeats, empty rows and estimates are no responses, and a new process counts from zero", async () => {
  const session = new CodexSession()
    .user("Go.")
    .count(null)
    .count([4000, 0, 50], [4000, 0, 50])
    .count([4000, 0, 50], [4000, 0, 50])
    .count([8200, 3968, 90], [4200, 3968, 40])
    .count([8200, 3968, 90], [0, 0, 0])
    .user("A new process.")
    .count([4400, 4096, 30], [4400, 4096, 30]);
  const { turns, tokens } = await scanOne(session);
  expect(turns).toBe(3);
  expect(tokens).toMatchObject({ input: 12_600 - 8064, cache_read: 8064, output: 120 });
});

test("SC-8 usage records make the counts behind them superfluous", async () => {
  const session = new CodexSession()
    .user("Go.")
    .count([4000, 0, 50], [4000, 0, 50])
    .user("With a newer version.")
    .record("resp_1", [4200, 3968, 40])
    .count([8200, 3968, 90], [4200, 3968, 40])
    .record("resp_2", [4300, 4096, 10])
    .count([12_500, 8064, 100], [4300, 4096, 10]);
  expect((await scanOne(session)).turns).toBe(3);
});

test("SC-8 what a fork copied in was paid by its parent", async () => {
  const first = [4000, 0, 50];
  const second = [4200, 3968, 40];
  const parent = new CodexSession().user("Go.").count([4000, 0, 50], first).count([8200, 3968, 90], second);
  const makeFork = (stepMs: number) => {
    const fork = new CodexSession("dddddddd-0000-4000-8000-000000000004", { forked_from_id: threadId });
    fork.rows.length = 1;
    fork.add("session_meta", { id: threadId }, stepMs - 2000);
    fork.count([4000, 0, 50], first, stepMs).count([8200, 3968, 90], second, stepMs);
    return fork.add("turn_context", { model: "gpt-5.5" }).user("On.").count([12_500, 8064, 100], [4300, 4096, 10]);
  };
  // Copies come in a burst; where they do not, the parent's file tells that they are copies.
  for (const fork of [makeFork(1), makeFork(5000)]) {
    const files = { [parent.name]: toLines(parent.rows), [fork.name]: toLines(fork.rows) };
    const { sessions, totals } = await scanFiles(files);
    expect(totals).toMatchObject({ turns: 3, tokens: { output: 100 } });
    const turns = sessions.map((session) => `${session.id.slice(0, 1)} ${session.turns}`);
    expect(turns.sort()).toEqual(["c 2", "d 1"]);
  }
  const alone = makeFork(1);
  expect((await scanOne(alone)).turns).toBe(1);
});

test("SC-7 an archived copy counts once", async () => {
  const session = new CodexSession().user("Go.").count([4000, 0, 50], [4000, 0, 50]);
  const text = toLines(session.rows);
  const { totals } = await scanFiles({
    [`sessions/${session.name}`]: text,
    [`archived_sessions/${session.name}`]: text,
  });
  expect(totals.turns).toBe(1);
});

test("SC-10, SC-12 the expected read is the last prompt, rounded down", async () => {
  const session = new CodexSession()
    .user("Go.")
    .count([4300, 0, 50], [4300, 0, 50])
    .count([8800, 4224, 100], [4500, 4224, 50])
    .add("turn_context", { model: "gpt-5.6" })
    .count([13_500, 4224, 130], [4700, 0, 30])
    .count([18_300, 8832, 140], [4800, 4608, 10]);
  const { breaks } = await scanOne(session);
  expect(breaks).toMatchObject([{ line: 6 + 1, cause: "model", expected_read: 4480, read: 0, rewritten: 4480 }]);
});

test("SC-11 behind a compaction or a roll-back nothing is expected", async () => {
  const compacted = new CodexSession().user("Go.").count([90_000, 0, 50], [90_000, 0, 50]);
  compacted.add("compacted", { message: "", replacement_history: [] }).count([95_000, 0, 90], [5000, 0, 40]);
  const rolledBack = new CodexSession().user("Go.").count([90_000, 0, 50], [90_000, 0, 50]);
  rolledBack.add("event_msg", { type: "thread_rolled_back", num_turns: 1 }).count([95_000, 0, 90], [5000, 0, 40]);
  expect((await scanOne(compacted)).breaks).toEqual([]);
  expect((await scanOne(rolledBack)).breaks).toEqual([]);
});

test("SC-14, SC-15 pairs are judged in the live window", async () => {
  const check = async (session: CodexSession, expected: unknown[], bricked: boolean) => {
    const found = await scanOne(session);
    expect(found.findings.map(({ rule, line, id }) => [rule, line, id])).toEqual(expected);
    expect(found.bricked).toBe(bricked);
  };
  const make = () => new CodexSession().user("Go.");
  await check(make().call("call_1").output("call_1"), [], false);
  await check(make().call("call_1").user("Again."), [["R-PAIR-1", 4, "call_1"]], false);
  await check(make().output("call_1"), [["R-PAIR-2", 4, "call_1"]], true);
  await check(make().call("call_1", "apply\0\0").output("call_1"), [["R-NAME-9", 4, "call_1"]], true);
  const history = [{ type: "function_call_output", call_id: "call_1", output: "done" }];
  const cut = make().call("call_1").output("call_1").add("compacted", { replacement_history: history });
  await check(cut, [["R-PAIR-2", 6, "call_1"]], true);
  const undone = make().user("And?").output("call_9").add("event_msg", { type: "thread_rolled_back", num_turns: 1 });
  await check(undone, [], false);
  const context = make().add("response_item", { type: "function_call_output", output: "context" });
  await check(context, [], false);
});

/** One dollar and more for each token, whatever it is. */
function flatPrice(usd: number): ModelPrice {
  const tiers = [{ above: -1, usdPerMillion: usd * 1e6 }];
  const classes = { input: tiers, output: tiers, cacheRead: tiers, cacheWrite: tiers, cacheWrite1h: tiers };
  return { ...classes, usdPerWebSearch: 0 };
}

test("SC-21 the tier is the one that the settings name, and a switch is the cause of its break", async () => {
  const settings = (service_tier?: string) => ({
    type: "thread_settings_applied",
    thread_settings: { model: "gpt-5.2", ...(service_tier !== undefined && { service_tier }) },
  });
  const session = new CodexSession()
    .add("event_msg", settings())
    .user("Go.")
    .record("resp_1", [8000, 0, 10])
    .add("event_msg", settings("fast"))
    .user("Faster.")
    .record("resp_2", [8100, 0, 10])
    .user("More.")
    .record("resp_3", [8200, 8064, 10])
    .add("event_msg", settings("priority"))
    .user("The same tier by its other name.")
    .record("resp_4", [8300, 8192, 10])
    .add("event_msg", settings("flex"))
    .user("Slower.")
    .record("resp_5", [8400, 0, 10])
    .add("event_msg", settings("default"))
    .user("As before.")
    .record("resp_6", [8500, 8320, 10]);
  const found = await scanOne(session);
  expect(found.turns_at_standard_price).toBe(4);
  expect(found.breaks).toMatchObject([
    { request: 2, cause: "settings", detail: "service tier", proven: true },
    { request: 5, cause: "settings", detail: "service tier" },
  ]);
  const prices = new PriceTable({ "gpt-5.5@priority": flatPrice(2), "gpt-5.5": flatPrice(1) });
  const { sessions } = await scanFiles({ [session.name]: toLines(session.rows) }, { prices });
  expect(sessions[0]).toMatchObject({
    turns_at_standard_price: 1,
    cost_usd: 8010 + 2 * (8110 + 8210 + 8310) + 8410 + 8510,
  });
});

test("SC-21 the settings that a fork copied in are its parent's", async () => {
  const settings = { type: "thread_settings_applied", thread_settings: { model: "m", service_tier: "priority" } };
  const child = new CodexSession("dddddddd-0000-4000-8000-000000000004", { forked_from_id: threadId });
  child.rows.splice(1, 0, { ...child.rows[0], type: "event_msg", payload: settings });
  child.user("Go.").record("resp_1", [8000, 0, 10]);
  expect((await scanOne(child)).turns_at_standard_price).toBe(0);
});

test("SC-11 of the request that made a compaction nothing is expected", async () => {
  const compacted = (made: string) => ({ message: "", replacement_history: [], compaction_response_id: made });
  const session = new CodexSession()
    .user("Go.")
    .record("resp_1", [40_000, 0, 10])
    .record("resp_2", [40_500, 0, 900])
    .add("compacted", compacted("resp_2"))
    .user("On.")
    .record("resp_3", [9000, 0, 10])
    .record("resp_4", [9100, 0, 10])
    .add("compacted", compacted("resp_other"));
  expect((await scanOne(session)).breaks).toMatchObject([{ request: 4, expected_read: 8960 }]);
});

test("SC-10 a prompt below the provider's minimum is never cached", async () => {
  const session = (tokens: number) =>
    new CodexSession()
      .user("Go.")
      .record("resp_1", [tokens, 0, 10])
      .user("On.")
      .record("resp_2", [tokens + 90, 0, 10]);
  expect((await scanOne(session(1000))).breaks).toEqual([]);
  expect((await scanOne(session(1100))).breaks).toMatchObject([{ expected_read: 1024 }]);
});
