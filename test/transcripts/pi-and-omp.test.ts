import { expect, test } from "vitest";
import { scanFiles, toLines } from "./scan-files.ts";

const name = "2026-03-14T09-00-00-000Z_shed-1.jsonl";

class PiSession {
  readonly rows: Record<string, unknown>[] = [
    { type: "session", version: 3, id: "shed-1", timestamp: "2026-03-14T09:00:00.000Z", cwd: "/home/tester" },
  ];
  #count = 0;
  #last: string | null = null;

  get last(): string | null {
    return this.#last;
  }

  add(type: string, members: Record<string, unknown>): this {
    this.#count += 1;
    const id = `e${this.#count}`;
    const timestamp = new Date(Date.UTC(2026, 2, 14, 9, 0, this.#count * 3)).toISOString();
    this.rows.push({ type, id, parentId: this.#last, timestamp, ...members });
    this.#last = id;
    return this;
  }

  back(to: string | null): this {
    this.#last = to;
    return this;
  }

  user(text: string): this {
    return this.add("message", { message: { role: "user", content: [{ type: "text", text }] } });
  }

  answer(read: number, write: number, calls: readonly string[] = [], extra: Record<string, unknown> = {}): this {
    const content = calls.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} }));
    const usage = { input: 4, output: 40, cacheRead: read, cacheWrite: write, cacheWrite1h: 0 };
    const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
    return this.add("message", {
      message: { role: "assistant", content, ...model, usage, stopReason: "stop", ...extra },
    });
  }

  result(id: string): this {
    return this.add("message", { message: { role: "toolResult", toolCallId: id, toolName: "read", content: [] } });
  }
}

async function scanOne(session: PiSession, file = name) {
  const { sessions } = await scanFiles({ [file]: toLines(session.rows) });
  return sessions[0]!;
}

async function check(session: PiSession, findings: readonly (readonly [string, number, string])[], bricked: boolean) {
  const found = await scanOne(session);
  expect(found.findings.map(({ rule, line, id }) => [rule, line, id])).toEqual(findings);
  expect(found.bricked).toBe(bricked);
}

test("SC-14 the linear result of the live branch is judged, across inner compactions", async () => {
  const batch = () => new PiSession().user("Go.").answer(0, 3000, ["t1", "t2"]).result("t1");
  await check(batch().result("t2").answer(3000, 50), [], false);
  await check(batch().user("Stop."), [["A-PAIR-1", 3, "t2"]], false);
  const kept = batch().result("t2");
  const border = kept.last;
  const once = kept.answer(3000, 50).add("compaction", { summary: "s", firstKeptEntryId: border, tokensBefore: 1 });
  await check(once, [["A-PAIR-2", 5, "t2"]], true);
  const twice = once
    .user("On.")
    .add("compaction", { summary: "s", firstKeptEntryId: border, tokensBefore: 1 })
    .user("On.");
  await check(twice, [["A-PAIR-2", 5, "t2"]], true);
  await check(
    new PiSession().user("Go.").answer(0, 3000, ["t1"]).result("t1").result("t1"),
    [["A-DUPRES-7", 5, "t1"]],
    true,
  );
  const failed = new PiSession().user("Go.").answer(0, 3000, ["t1"], { stopReason: "aborted" }).result("t1");
  await check(failed, [["A-PAIR-2", 4, "t1"]], true);
});

test("SC-11, SC-16 branches and compactions are sound", async () => {
  const session = new PiSession().user("Go.").answer(0, 20_000);
  const fork = session.last;
  session.user("Left.").answer(20_000, 9000, ["t1"]);
  session.back(fork).user("Right.").answer(20_000, 60);
  session
    .add("compaction", { summary: "s", firstKeptEntryId: session.last, tokensBefore: 1 })
    .user("On.")
    .answer(0, 5000);
  session.user("On.").answer(5000, 60);
  const { breaks, findings } = await scanOne(session);
  expect({ breaks, findings }).toEqual({ breaks: [], findings: [] });
});

test("SC-12 edits and settings that the session records are proven causes", async () => {
  const prompt = () => new PiSession().user("Go.").answer(0, 20_000);
  const edited = prompt().add("context_edit", { targetId: "e1", replacement: null }).user("On.").answer(2000, 18_500);
  expect((await scanOne(edited)).breaks).toMatchObject([
    { cause: "history_rewritten", detail: "context edit", proven: true },
  ]);
  const set = prompt().add("thinking_level_change", { thinkingLevel: "high" }).user("On.").answer(2000, 18_500);
  expect((await scanOne(set)).breaks).toMatchObject([{ cause: "settings", proven: true }]);
});

test("SC-7 a fork's copied entries count once", async () => {
  const session = new PiSession().user("Go.").answer(0, 20_000);
  const parent = toLines(session.rows);
  session.user("On.").answer(20_000, 60);
  const fork = toLines(
    session.rows.map((row) => (row.type === "session" ? { ...row, id: "shed-2", parentSession: "x" } : row)),
  );
  const { totals } = await scanFiles({ [name]: parent, [name.replace("shed-1", "shed-2")]: fork });
  expect(totals).toMatchObject({ turns: 2, tokens: { cache_creation: 20_060 } });
});

test("SC-15 OMP mends its pairs, and its title line is no damage", async () => {
  const session = new PiSession().user("Go.").result("t1").answer(0, 3000);
  session.rows.unshift({ type: "title", v: 1, title: "", updatedAt: "2026-03-14T09:00:00.000Z", pad: "   " });
  const { agent, findings, bricked, records } = await scanOne(session);
  expect([agent, bricked]).toEqual(["omp", false]);
  expect(findings).toMatchObject([{ rule: "A-PAIR-2", line: 4, healed_by_host: true }]);
  expect(records).toMatchObject({ good: 5, lost: 0 });
});

test("SC-14 the rule is that of the api", async () => {
  const responses = { api: "openai-responses", provider: "openai", model: "gpt-5.5" };
  const session = new PiSession().user("Go.").answer(0, 0, ["call_1|fc_1"], responses).user("On.");
  expect((await scanOne(session)).findings).toMatchObject([{ rule: "R-PAIR-1", id: "call_1|fc_1" }]);
});

test("SC-10 Gemini caches by itself, and longer prompts only", async () => {
  const google = { api: "google-generative-ai", provider: "google", model: "gemini-3-pro" };
  const answer = (input: number) => ({ ...google, usage: { input, output: 9, cacheRead: 0, cacheWrite: 0 } });
  const session = (tokens: number) =>
    new PiSession()
      .user("Go.")
      .answer(0, 0, [], answer(tokens))
      .user("On.")
      .answer(0, 0, [], answer(tokens + 50));
  expect((await scanOne(session(4000))).breaks).toEqual([]);
  expect((await scanOne(session(4100))).breaks).toMatchObject([{ expected_read: 4096 }]);
});
