import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "./program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("CL-1 a wrong word ends with 2 and one line that says what to do", async () => {
  for (const [words, message] of [
    [["chekc"], 'unknown command chekc, did you mean check?; "holdfast --help" lists all'],
    [["--verson"], 'unknown flag --verson, did you mean --version?; "holdfast --help" lists all'],
    [["check", "--repiar", "a.json"], "unknown flag --repiar, did you mean --repair?"],
    [["check"], "check needs an INPUT"],
    [["check", "missing.json"], "missing.json: no such file or folder"],
    [["check", "--api", "anthropic", "a.json"], '--api "anthropic" is unknown'],
    [["doctor", "extra"], 'doctor takes no operand, but "extra" is given'],
    [["doctor", "--port", "x"], '--port "x": expected number'],
  ] as const) {
    const { status, stdout, stderr } = await runProgram(words, { cwd: folder });
    expect(status, words.join(" ")).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n"), stderr).toHaveLength(1);
    expect(stderr).not.toContain("    at ");
    expect(stdout).toBe("");
  }
});

test("CL-1 the stack is shown only where it is asked for", async () => {
  const { status, stderr } = await runProgram(["doctor", "--port", "x", "--debug"], { cwd: folder });
  expect(status).toBe(2);
  expect(stderr).toContain("    at ");
});

test("CL-2 help fits 80 columns and names every flag", async () => {
  const program = await runProgram(["--help"]);
  expect(program.status).toBe(0);
  const names = [...program.stdout.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]!);
  expect(names).toContain("check");
  for (const words of [[], ...names.map((name) => [name])]) {
    const { stdout, stderr, status } = await runProgram([...words, "--help"]);
    expect(status, stderr).toBe(0);
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
});

test("CL-2 colour is for terminals, and NO_COLOR and FORCE_COLOR are honoured", async () => {
  const words = ["doctor", "--store", "memory:"];
  const ESCAPE = "\u001b[";
  expect((await runProgram(words, { cwd: folder })).stdout).not.toContain(ESCAPE);
  expect((await runProgram(words, { cwd: folder, env: { FORCE_COLOR: "1" } })).stdout).toContain(ESCAPE);
  expect((await runProgram(words, { cwd: folder, env: { NO_COLOR: "1" } })).stdout).not.toContain(ESCAPE);
});
