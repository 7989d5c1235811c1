import { expect, test } from "vitest";
import { ClaudeSession, sessionFile, sessionId, toUsage } from "./claude-rows.ts";
import { scanFiles, toLines } from "./scan-files.ts";

const otherId = "bbbbbbbb-0000-4000-8000-000000000002";

async function scanOne(session: ClaudeSession) {
  const { sessions } = await scanFiles({ [sessionFile]: toLines(session.rows) });
  return sessions[0]!;
}

test("SC-7 all rows of one response count once, with the final output", async () => {
  const session = new ClaudeSession()
    .user("Go.")
    .answer("1", { write: 9000, output: 3 }, {}, { stop_reason: null })
    .call("1", "toolu_1", { write: 9000, output: 80 })
    .result("toolu_1")
    .answer("2", { read: 9000, write: 50, output: 20 });
  const { turns, tokens } = await scanOne(session);
  expect(turns).toBe(2);
  expect(tokens).toEqual({ input: 8, output: 100, cache_read: 9000, cache_creation: 9050, cache_creation_1h: 0 });
});

test("SC-7 filler rows of the host are no responses", async () => {
  const session = new ClaudeSession()
    .user("Go.")
    .answer("1", { write: 9000 })
    .answer("x", {}, { requestId: undefined, isApiErrorMessage: true }, { model: "<synthetic>" })
    .user("Again.")
    .answer("2", { read: 9000, write: 10 });
  const { turns, breaks } = await scanOne(session);
  expect([turns, breaks]).toEqual([2, []]);
});

/** The rows of a session that a fork copied into a file of its own, changed as some version does it. */
function copyRows(session: ClaudeSession, change: (row: Record<string, unknown>) => Record<string, unknown>) {
  return session.rows.map((row) => change({ ...row, sessionId: otherId }));
}

test("SC-7 a fork's copies are counted where they were paid", async () => {
  const parent = new ClaudeSession()
    .note({ type: "queue-operation", operation: "enqueue" })
    .user("Go.")
    .call("1", "toolu_1", { write: 9000, output: 80 })
    .result("toolu_1")
    .answer("2", { read: 9000, write: 50, output: 20 });
  const own = { read: 9050, write: 30, output: 5 };
  const continued = (copies: Record<string, unknown>[]) => {
    const fork = new ClaudeSession(otherId).wait(600);
    fork.note({ type: "queue-operation", operation: "enqueue" });
    fork.user("And now?", { parentUuid: parent.last }).answer("3", own);
    return toLines([...copies, ...fork.rows]);
  };
  const chained = parent.rows.filter((row) => "uuid" in row);
  const versions: Record<string, Record<string, unknown>[]> = {
    "old: the copy keeps the parent's id": chained,
    "middle: rewritten, older than the fork": copyRows(parent, (row) => row).filter((row) => "uuid" in row),
    "middle: zeroed": copyRows(parent, zeroUsage).filter((row) => "uuid" in row),
    "new: says who paid": copyRows(parent, (row) => ({ ...row, requestSessionId: sessionId })).filter(
      (row) => "uuid" in row,
    ),
  };
  for (const [version, copies] of Object.entries(versions)) {
    // The fork's name sorts behind and in front: the order of reading decides nothing.
    for (const folder of ["a", "z"]) {
      const files = { [`m/${sessionFile}`]: toLines(parent.rows), [`${folder}/${otherId}.jsonl`]: continued(copies) };
      const { sessions, totals } = await scanFiles(files);
      expect([totals.turns, totals.tokens.output], version).toEqual([3, 105]);
      const forked = sessions.find(({ path }) => path.includes(otherId))!;
      expect([forked.turns, forked.tokens.output, forked.breaks], version).toEqual([1, 5, []]);
    }
  }
});

function zeroUsage(row: Record<string, unknown>): Record<string, unknown> {
  if (row.type !== "assistant") return row;
  return { ...row, message: { ...(row.message as object), usage: toUsage({ output: 0 }), stop_reason: null } };
}

test("SC-7 a side question that replays its parent counts nothing again", async () => {
  const session = new ClaudeSession().user("Go.").answer("1", { write: 9000, output: 80 });
  session.answer("1", { write: 9000, output: 80 }, { isSidechain: true, requestId: "req_other", parentUuid: null });
  expect((await scanOne(session)).tokens.output).toBe(80);
  const side = new ClaudeSession()
    .user("Aside.", { isSidechain: true })
    .answer("1", { write: 9000, output: 80 }, { isSidechain: true, requestId: "r" });
  const files = { [sessionFile]: toLines(session.rows), [`${sessionId}/subagents/agent-b.jsonl`]: toLines(side.rows) };
  expect((await scanFiles(files)).totals).toMatchObject({ turns: 1, tokens: { output: 80 } });
});

test("SC-11, SC-16 a compaction with a side chain is sound", async () => {
  const session = new ClaudeSession()
    .user("Go.")
    .call("1", "toolu_1", { write: 30_000 })
    .result("toolu_1")
    .answer("2", { read: 30_000, write: 900 })
    .user("Look aside.", { isSidechain: true, parentUuid: null })
    .answer("s1", { write: 4000 }, { isSidechain: true })
    .add({ type: "system", subtype: "compact_boundary", parentUuid: null, compactMetadata: { trigger: "auto" } })
    .user("Summary.", { isCompactSummary: true })
    .answer("3", { read: 12_000, write: 800 })
    .user("On.")
    .answer("4", { read: 12_800, write: 50 });
  const { breaks, findings, bricked } = await scanOne(session);
  expect({ breaks, findings, bricked }).toEqual({ breaks: [], findings: [], bricked: false });
});

test("SC-11, SC-16 an abandoned branch is sound", async () => {
  const session = new ClaudeSession().user("Go.").answer("1", { write: 20_000 });
  const fork = session.last;
  session.user("Left.").call("2", "toolu_1", { read: 20_000, write: 8000 });
  session.user("Right.", { parentUuid: fork }).answer("3", { read: 20_000, write: 100 });
  const { breaks, findings } = await scanOne(session);
  expect({ breaks, findings }).toEqual({ breaks: [], findings: [] });
});

test("SC-14 parallel calls on twigs are pairs", async () => {
  const session = new ClaudeSession().user("Go.").call("1", "toolu_a", { write: 9000 });
  const first = session.last;
  session.call("1", "toolu_b", { write: 9000 });
  const second = session.last;
  session.result("toolu_b", { parentUuid: second }).result("toolu_a", { parentUuid: first });
  session.answer("2", { read: 9000 });
  expect((await scanOne(session)).findings).toEqual([]);
});

test("SC-14, SC-15 a broken pair names rule, line and id, and whether the host mends it", async () => {
  const open = (version: string) =>
    new ClaudeSession(sessionId, version)
      .user("Go.")
      .call("1", "toolu_1", { write: 9000 })
      .user("Again.")
      .answer("2", { read: 9000 });
  const orphan = new ClaudeSession().user("Go.").result("toolu_1").answer("2", { write: 9000 });
  const found = async (session: ClaudeSession) => {
    const { findings, bricked } = await scanOne(session);
    return [findings.map(({ rule, line, id, healed_by_host }) => [rule, line, id, healed_by_host]), bricked];
  };
  expect(await found(open("2.1.63"))).toEqual([[["A-PAIR-1", 2, "toolu_1", false]], true]);
  expect(await found(open("2.1.332"))).toEqual([[["A-PAIR-1", 2, "toolu_1", true]], false]);
  expect(await found(orphan)).toEqual([[["A-PAIR-2", 2, "toolu_1", false]], true]);
  const atEnd = new ClaudeSession().user("Go.").call("1", "toolu_1", { write: 9000 });
  expect(await found(atEnd)).toEqual([[["A-PAIR-1", 2, "toolu_1", true]], false]);
});

test("SC-4 an open call at the end of a live session is no finding", async () => {
  const session = new ClaudeSession().user("Go.").call("1", "toolu_1", { write: 9000 });
  const now = Date.now();
  for (const row of session.rows) row.timestamp = new Date(now - 30_000).toISOString();
  const { sessions } = await scanFiles({ [sessionFile]: toLines(session.rows) }, { now });
  expect(sessions[0]!.findings).toEqual([]);
});

test("SC-14 half a character is found where it is sent", async () => {
  const session = new ClaudeSession().user("Broken \ud83d here.").answer("1", { write: 9000 });
  const { findings } = await scanOne(session);
  expect(findings).toMatchObject([{ rule: "A-UTF-15", line: 1 }]);
  const whole = new ClaudeSession().user("Whole \u{1f600} and the letters \\ud83d.").answer("1", { write: 9000 });
  expect((await scanOne(whole)).findings).toEqual([]);
});

test("SC-10, SC-12, SC-13 a break has expectation, cause and cost", async () => {
  const prompt = () => new ClaudeSession().user("Go.").answer("1", { write: 20_000 });
  const cases: [string, ClaudeSession, unknown[]][] = [
    [
      "floor",
      prompt().user("On.").answer("2", { read: 9000, write: 11_500 }),
      ["history_rewritten", 20_000, 9000, 11_000],
    ],
    ["gap", prompt().wait(400).user("On.").answer("2", { write: 20_500 }), ["ttl_gap", 20_000, 0, 20_000]],
    ["no gap", prompt().wait(200).user("On.").answer("2", { write: 20_500 }), ["unknown", 20_000, 0, 20_000]],
    [
      "model",
      prompt().user("On.").answer("2", { write: 20_500 }, {}, { model: "claude-opus-4-6" }),
      ["model", 20_000, 0, 20_000],
    ],
    [
      "diagnosis",
      prompt()
        .user("On.")
        .answer("2", { write: 20_500 }, {}, { diagnostics: { cache_miss_reason: { type: "tools_changed" } } }),
      ["tools", 20_000, 0, 20_000],
    ],
  ];
  for (const [name, session, expected] of cases) {
    const { breaks } = await scanOne(session);
    expect(
      breaks.map(({ cause, expected_read, read, rewritten }) => [cause, expected_read, read, rewritten]),
      name,
    ).toEqual([expected]);
  }
  const { breaks } = await scanOne(prompt().user("On.").answer("2", { read: 9000, write: 11_500 }));
  // 11,000 tokens at 3.75 instead of 0.30 dollars a million.
  expect(breaks[0]!.cost_usd).toBeCloseTo(0.03795, 6);
});

test("SC-12 an hour's write lives an hour", async () => {
  const session = new ClaudeSession().user("Go.").answer("1", { write1h: 20_000 });
  session.wait(1800).user("On.").answer("2", { write1h: 20_500 });
  session.wait(4000).user("On.").answer("3", { write1h: 21_000 });
  expect((await scanOne(session)).breaks.map(({ cause }) => cause)).toEqual(["unknown", "ttl_gap"]);
});

test("SC-12 logged requests prove the cause", async () => {
  const shape = (hash: string, names: string[], system = "You are careful.") => ({
    ...{ type: "api-request-shape", shapeHash: hash },
    shape: { system: [{ type: "text", text: system }], tools: names.map((name) => ({ name, input_schema: {} })) },
  });
  const request = (id: string, shapeHash: string, rest: Record<string, unknown>) => ({
    ...{ type: "api-request", id, querySource: "repl_main_thread", shapeHash, params: { model: "m", max_tokens: 9 } },
    ...{ thread: { type: "none" }, cacheControl: [], ...rest },
  });
  const first = request("r1", "s1", { tail: ["h1"] });
  const cases: [string, Record<string, unknown>[], string, string | undefined][] = [
    [
      "tool added",
      [shape("s2", ["a", "b", "c"]), request("r2", "s2", { base: "r1", keep: 1, tail: ["h2"] })],
      "tool_added",
      "c",
    ],
    [
      "tool removed",
      [shape("s2", ["a"]), request("r2", "s2", { base: "r1", keep: 1, tail: ["h2"] })],
      "tool_removed",
      "b",
    ],
    [
      "tool order",
      [shape("s2", ["b", "a"]), request("r2", "s2", { base: "r1", keep: 1, tail: ["h2"] })],
      "tool_order",
      "b",
    ],
    [
      "system",
      [shape("s2", ["a", "b"], "Other."), request("r2", "s2", { base: "r1", keep: 1, tail: [] })],
      "system_text",
      "system block 0",
    ],
    ["history", [request("r2", "s1", { tail: ["h9", "h2"] })], "history_rewritten", "message 0"],
    [
      "settings",
      [
        request("r2", "s1", {
          base: "r1",
          keep: 1,
          tail: ["h2"],
          params: { model: "m", thinking: { type: "adaptive" } },
        }),
      ],
      "settings",
      undefined,
    ],
  ];
  for (const [name, rows, cause, detail] of cases) {
    const session = new ClaudeSession(sessionId, "2.1.332")
      .user("Go.")
      .note(shape("s1", ["a", "b"]))
      .note(first);
    session.answer("1", { write: 20_000 }, { requestRef: "r1" }).user("On.");
    for (const row of rows) session.note(row);
    session.answer("2", { write: 20_500 }, { requestRef: "r2" });
    const { breaks } = await scanOne(session);
    expect(breaks, name).toMatchObject([{ cause, proven: true, ...(detail !== undefined && { detail }) }]);
  }
});

test("SC-10 files of sub-agents are sessions of their own", async () => {
  const agent = new ClaudeSession().user("Look.", { isSidechain: true, agentId: "x1" });
  agent.call("s1", "toolu_s1", { write: 9000 }, { isSidechain: true, agentId: "x1" });
  const files = {
    [sessionFile]: toLines(new ClaudeSession().user("Go.").answer("1", { write: 9000 }).rows),
    [`${sessionId}/subagents/agent-x1.jsonl`]: toLines(agent.rows),
  };
  const { sessions, totals } = await scanFiles(files);
  expect(sessions.map(({ id }) => id).sort()).toEqual([sessionId, "agent-x1"].sort());
  // Nobody goes on with a sub-agent that was cut off.
  expect([totals.turns, totals.findings]).toEqual([2, 0]);
});

test("SC-9 what Claude Code counts beyond its rows and those of its sub-agents is said apart, never for a copy", async () => {
  const start = () => new ClaudeSession().user("Go.").answer("1", { write: 100_000, output: 100 });
  const agent = new ClaudeSession().user("Look.").answer("a", { write: 100_000, output: 100 }, { isSidechain: true });
  const one = (await scanFiles({ [sessionFile]: toLines(start().rows) })).totals;
  expect(one.unlisted_cost_usd).toBe(0);
  const counted = (totalCostUSD: number) =>
    toLines([...start().rows, { type: "cost-state", totalCostUSD: 0.001 }, { type: "cost-state", totalCostUSD }]);
  const files = (totalCostUSD: number) => ({
    [sessionFile]: counted(totalCostUSD),
    [`${sessionId}/subagents/agent-a.jsonl`]: toLines(agent.rows),
  });
  const { sessions, totals } = await scanFiles(files(one.cost_usd! * 2 + 0.25));
  expect(totals.unlisted_cost_usd).toBeCloseTo(0.25, 6);
  expect(totals.cost_usd).toBeCloseTo(one.cost_usd! * 2, 6);
  expect(sessions.map((session) => session.reported_cost_usd)).toContain(sessions[0]!.cost_usd! * 2 + 0.25);
  // A run that was killed leaves its count behind its rows.
  expect((await scanFiles(files(one.cost_usd!))).totals.unlisted_cost_usd).toBe(0);
  const copy = copyRows(start(), (row) => row).filter((row) => "uuid" in row);
  const fork = toLines([...copy, { type: "cost-state", totalCostUSD: 9 }]);
  const both = await scanFiles({ [sessionFile]: toLines(start().rows), [`${otherId}.jsonl`]: fork });
  expect(both.totals.unlisted_cost_usd).toBe(0);
});
