import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunOptions, runProgram } from "../cli/program.ts";
import { diffBodies } from "../report/diff-body.ts";
import { NEXT_TURN, SAMPLE_ENCODINGS, SAMPLE_SESSION } from "../report/sample-session.ts";

const { encode } = SAMPLE_ENCODINGS["anthropic-messages"];
const before = encode(SAMPLE_SESSION);
const appended = encode({ ...SAMPLE_SESSION, rows: [...SAMPLE_SESSION.rows, ...NEXT_TURN] });
const clock = encode({ ...SAMPLE_SESSION, system: SAMPLE_SESSION.system.replace("09:26", "09:27") });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-diff-"));
  await put("before.json", JSON.stringify(before));
  await put("appended.json", JSON.stringify(appended, null, 1));
  await put("clock.json", JSON.stringify(clock));
  await put("session.jsonl", [before, appended, clock].map((body) => `${JSON.stringify(body)}\n`).join(""));
  await put("envelope.json", JSON.stringify({ api: "anthropic-messages", model: "claude-x", body: clock }));
  await put("cut.json", '{"model":"a","messages":[');
  await put("strange.json", '{"a":1}');
});
afterAll(() => rm(folder, { recursive: true }));

async function put(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
}

async function diff(words: readonly string[], status: number, options: RunOptions = {}) {
  const ended = await runProgram(["diff", ...words], { cwd: folder, ...options });
  expect(ended.status, `${words.join(" ")}: ${ended.stderr}`).toBe(status);
  return ended;
}

test("DF-19 the exit code says kept, broken or unusable", async () => {
  await diff(["before.json", "appended.json"], 0);
  await diff(["before.json", "clock.json"], 1);
  await diff(["before.json", "envelope.json"], 1);
  for (const [words, message] of [
    [["before.json", "cut.json"], /cut\.json:1:26: the text ends/],
    [["strange.json", "before.json"], /strange\.json: no API recognised .*--api/],
    [["before.json", "gone.json"], /gone\.json: no such file/],
    [["before.json"], /before\.json holds fewer than two requests/],
    [[], /BEFORE and AFTER/],
    [["before.json", "session.jsonl"], /session\.jsonl holds several requests/],
    [["before.json", "clock.json", "--fromat", "json"], /--format/],
  ] as const) {
    const { stdout, stderr } = await diff(words, 2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

test("DF-19 one record of stable names on stdout, and nothing else", async () => {
  const { stdout } = await diff(["before.json", "clock.json", "--json"], 1);
  expect(JSON.parse(stdout)).toEqual({
    ...diffBodies(before, clock),
    lost_usd: null,
    source: "clock.json",
    line: null,
  });
  expect(JSON.parse(stdout)).toMatchObject({ schema: 1, cause: "clock", path: "/system/0/text", prefix_kept: false });
});

test("DF-21 a loss has a price where the model's price is known", async () => {
  await put("known.json", JSON.stringify({ ...before, model: "claude-sonnet-4-5" }));
  await put("known-clock.json", JSON.stringify({ ...clock, model: "claude-sonnet-4-5" }));
  const { stdout } = await diff(["known.json", "known-clock.json", "--json"], 1);
  const { lost, lost_usd: dollars } = JSON.parse(stdout);
  // List price per million: a write costs 3.75, a read 0.30.
  expect(dollars).toBeCloseTo((lost.tokens * (3.75 - 0.3)) / 1e6, 9);
});

test("DF-15 usage in an envelope calibrates the tokens of a loss", async () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 40_000, cache_creation_input_tokens: 900 };
  await put("measured.json", JSON.stringify({ api: "anthropic-messages", usage, body: before }));
  const { stdout } = await runProgram(["diff", "--json", join(folder, "measured.json"), join(folder, "clock.json")]);
  const { calibrated, kept, lost } = JSON.parse(stdout);
  expect(calibrated).toBe(true);
  expect(kept.tokens + lost.tokens).toBeGreaterThan(30_000);
});

test("DF-20 a session reports each of its steps", async () => {
  const { stdout } = await diff(["session.jsonl", "--json"], 1);
  expect(JSON.parse(stdout)).toMatchObject([
    { cause: "append", line: 2, prefix_kept: true },
    { cause: "clock", line: 3, prefix_kept: false, also: [{ cause: "history_dropped" }] },
  ]);
  const text = await diff(["session.jsonl"], 1);
  expect(text.stdout).toMatch(/session\.jsonl:2: prefix kept, append/);
  expect(text.stdout).toMatch(/2 steps: 1 broke the prefix \(clock 1\)/);
  const piped = await diff(["-", "--json"], 1, { input: readFileSync(join(folder, "session.jsonl"), "utf8") });
  expect(JSON.parse(piped.stdout)).toHaveLength(2);
});

test("DF-19 SARIF points at the line of the place, JUnit has a case per step", async () => {
  await put("spread.json", JSON.stringify(clock, null, 1));
  const sarif = JSON.parse((await diff(["before.json", "spread.json", "--format", "sarif"], 1)).stdout);
  const [result] = sarif.runs[0].results;
  expect(result).toMatchObject({ ruleId: "prefix/clock", level: "error" });
  const { artifactLocation, region } = result.locations[0].physicalLocation;
  expect(artifactLocation.uri).toBe("spread.json");
  const line = readFileSync(join(folder, "spread.json"), "utf8").split("\n")[region.startLine - 1];
  expect(line).toContain("You keep a shelf");
  const junit = (await diff(["session.jsonl", "--format", "junit"], 1)).stdout;
  expect(junit).toContain('tests="2" failures="1"');
});

test("DF-19 the text fits a terminal and says what moved, where, what it costs and what to do", async () => {
  const { stdout } = await diff(["before.json", "clock.json"], 1);
  for (const word of ["where", "before", "after", "cost", "to do", "/system/0/text", "09:26", "09:27"]) {
    expect(stdout).toContain(word);
  }
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

const shared = join(import.meta.dirname, "../../../shared/cases/open-diff");

describe.runIf(existsSync(shared))("DF-9 with the shared case folders present", () => {
  test.each(existsSync(shared) ? readdirSync(shared) : [])("%s", (name) => {
    const read = (file: string): string => readFileSync(join(shared, name, file), "utf8");
    const { api, cause, path, unit, prefix_kept } = JSON.parse(read("expected.json"));
    expect(diffBodies(read("before.json"), read("after.json"))).toMatchObject({ api, cause, path, unit, prefix_kept });
  });
});
