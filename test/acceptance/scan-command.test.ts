import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram } from "../cli/program.ts";
import { ClaudeSession, sessionFile } from "../transcripts/claude-rows.ts";
import { makeFolder, toLines } from "../transcripts/scan-files.ts";

const sound = toLines(new ClaudeSession().user("Go.").answer("1", { write: 9000 }).rows);
const orphan = toLines(new ClaudeSession().user("Go.").result("toolu_1").answer("1", { write: 9000 }).rows);
const cold = toLines(
  new ClaudeSession().user("Go.").answer("1", { write: 9000 }).user("On.").answer("2", { read: 1000, write: 9000 })
    .rows,
);

async function check(words: readonly string[], status: number, stderr: RegExp | "" = "") {
  const ended = await runProgram(["scan", ...words]);
  expect(ended.status, ended.stderr).toBe(status);
  if (stderr === "") expect(ended.stderr).toBe("");
  else expect(ended.stderr).toMatch(stderr);
  return ended.stdout;
}

test("SC-17 the exit code tells faults, lost caches and wrong paths apart", async () => {
  const folder = makeFolder({
    [`a/${sessionFile}`]: sound,
    [`b/${sessionFile}`]: orphan,
    [`c/${sessionFile}`]: cold,
    "d/e/x": "",
  });
  await check([join(folder, "a")], 0);
  expect(await check([join(folder, "b")], 1)).toContain("A-PAIR-2");
  expect(await check([join(folder, "c")], 0)).toContain("cache lost once");
  expect(await check([join(folder, "d")], 0)).toContain("No session found");
  await check([join(folder, "nowhere")], 2, /^holdfast: .*nowhere: no such file or folder\n$/);
  await check([join(folder, "d/e/x")], 2, /is no session file/);
  await check(["--since", "soon", folder], 2, /no number of days/);
  await check(["--agnet", "pi", folder], 2, /did you mean --agent/);
});

test("CL-3, SC-17 - is a session from a pipe, and leaves no file behind", async () => {
  const folder = makeFolder({ "t/x": "" });
  const env = { TMPDIR: join(folder, "t") };
  const piped = await runProgram(["scan", "--json", "-"], { input: orphan, env });
  expect(piped.status).toBe(1);
  expect(JSON.parse(piped.stdout).sessions).toMatchObject([{ agent: "claude-code", path: "-" }]);
  const other = await runProgram(["scan", "-"], { input: "hello\n", env });
  expect([other.status, other.stderr]).toEqual([2, expect.stringMatching(/^holdfast: stdin is no session file/)]);
  expect(readdirSync(env.TMPDIR)).toEqual(["x"]);
});

test("SC-17 every format is whole and holds what was found", async () => {
  const folder = makeFolder({ [sessionFile]: orphan });
  const json = JSON.parse(await check(["--json", folder], 1));
  expect(json).toMatchObject({ schema: 1, totals: { sessions: 1, bricked: 1 }, sessions: [{ agent: "claude-code" }] });
  const sarif = JSON.parse(await check(["--format", "sarif", folder], 1));
  expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "A-PAIR-2", level: "error" });
  expect(await check(["--format", "junit", folder], 1)).toContain('failures="1"');
});

test("SC-17 text fits 80 columns, has no colour in a pipe and says what to do", async () => {
  const folder = makeFolder({
    [`${"a-long-folder-name/".repeat(6)}${sessionFile}`]: orphan,
    [`b/${sessionFile}`]: cold,
  });
  const text = await check([folder], 1);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(text).not.toContain("\u001b");
  expect(text).toMatch(/^2 sessions, .*1 bricked\n/);
  expect(text).toContain("What to do");
});

test("SC-17 without a path the agents' own places are read, of the agents that are asked for", async () => {
  const home = makeFolder({
    [`.claude/projects/-home-tester/${sessionFile}`]: sound,
    ".pi/agent/sessions/--home--/2026-03-14T09-00-00-000Z_x.jsonl": toLines([
      { type: "session", version: 3, id: "x", timestamp: "2026-03-14T09:00:00.000Z", cwd: "/home/tester" },
    ]),
  });
  const scanHome = async (words: readonly string[], env = {}) => {
    const { stdout } = await runProgram(["scan", "--json", ...words], { env: { HOME: home, ...env } });
    return JSON.parse(stdout)
      .sessions.map(({ agent }: { agent: string }) => agent)
      .sort();
  };
  expect(await scanHome([])).toEqual(["claude-code", "pi"]);
  expect(await scanHome(["--agent", "pi"])).toEqual(["pi"]);
  expect(await scanHome([], { CLAUDE_CONFIG_DIR: join(home, "elsewhere") })).toEqual(["pi"]);
  const bare = await runProgram(["scan"], { env: { HOME: join(home, "nobody") } });
  expect([bare.status, bare.stdout]).toEqual([0, expect.stringContaining("No agent has left a session")]);
});

test("SC-9, SC-17 a price file gives a model its price, and a bad one is refused by place", async () => {
  const rows = new ClaudeSession()
    .user("Go.")
    .answer("1", { write: 1_000_000, output: 0 }, {}, { model: "shed-model" }).rows;
  const folder = makeFolder({
    [sessionFile]: toLines(rows),
    "prices.json": '{"models":{"shed-model":{"input_mtok":2,"output_mtok":8,"cache_write_mtok":3}}}',
    "bad.json": '{"models":{"shed-model":{"input_mtok":-1,"output_mtok":8}}}',
  });
  expect(await check([folder], 0)).toContain("no price for shed-model");
  const priced = JSON.parse(await check(["--json", "--prices", join(folder, "prices.json"), folder], 0));
  expect(priced.totals).toMatchObject({ cost_usd: 3.000008, unpriced_models: [] });
  await check(["--prices", join(folder, "bad.json"), folder], 2, /\/models\/shed-model\/input_mtok/);
});

test("SC-17 a reader that leaves early and Ctrl-C end the program at once", async () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${i}/${sessionFile}`, cold]));
  const folder = makeFolder(files);
  const closed = startProgram(["scan", "--json", folder]);
  closed.child.stdout.once("data", () => closed.child.stdout.destroy());
  expect((await closed.ended).status).toBe(0);
  const stopped = startProgram(["scan", folder]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  stopped.child.kill("SIGINT");
  const ended = await stopped.ended;
  expect(ended.signal === "SIGINT" || ended.status === 130).toBe(true);
});
