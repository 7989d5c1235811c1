/** What a person meets who tries the program for the first time, with whatever lies around. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram, runProgramInto, startProgram } from "./program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-first-"));
  await mkdir(join(folder, "empty"));
  await mkdir(join(folder, "many"));
  await mkdir(join(folder, "home"));
  await writeFile(join(folder, "nothing.json"), "");
  for (const name of ["noise.json", "noise.jsonl", "noise.db"]) {
    await writeFile(join(folder, name), randomBytes(200_000));
  }
  for (let i = 0; i < 10_000; i++) await writeFile(join(folder, "many", `r${i}.json`), legal(i));
  await writeFile(join(folder, "legal.json"), legal(0));
});
afterAll(() => rm(folder, { recursive: true }));

const legal = (i: number) =>
  JSON.stringify({ model: "claude-opus-5", max_tokens: 9, messages: [{ role: "user", content: `hi ${i}` }] });

/** In a home of its own, so that nothing of this machine is found. */
async function tryOut(words: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string) {
  const home = join(folder, "home");
  const options = { cwd: folder, env: { HOME: home, XDG_DATA_HOME: home, ...env } };
  return await runProgram(words, { ...options, ...(input !== undefined && { input }) });
}

const COMMANDS = ["check", "diff", "scan", "replay", "hash", "plan", "doctor"];
const OPERANDS = ["", "nowhere", "empty", "noise.json", "noise.jsonl", "noise.db", "nothing.json", "legal.json/in-it"];

test.each(COMMANDS)("CL-1 %s says in a few words what is wrong with what it is given", async (command) => {
  const tries = OPERANDS.map(async (operand) => {
    const { status, stdout, stderr } = await tryOut(operand === "" ? [command] : [command, operand]);
    const lines = stderr.split("\n").filter((line) => line !== "");
    const what = `${command} ${operand}: ${status}\n${stderr}`;
    // Nothing to look at is a fine answer of what looks by itself, everything else is a wrong operand.
    const isFine = command === "doctor" ? operand === "" : command === "scan" && ["", "empty"].includes(operand);
    expect(status, what).toBe(isFine ? 0 : 2);
    expect(isFine ? stdout : stderr, what).not.toBe("");
    for (const line of lines) expect(line, what).toMatch(/^holdfast: /);
    expect(lines.length, what).toBeLessThanOrEqual(21);
    expect(stderr, what).not.toMatch(/unexpected failure|ENOENT|EISDIR|ENOTDIR| {4}at /);
    expect(stdout + stderr, what).not.toContain("\u001b");
  });
  await Promise.all(tries);
});

test("CL-3 a folder of ten thousand files is read to its end", async () => {
  const checked = await tryOut(["check", "many"]);
  expect(checked.status).toBe(0);
  expect(checked.stdout).toContain("10000 requests: 10000 legal");
  expect((await tryOut(["scan", "many"])).stdout).toContain("No session found in many");
  expect((await tryOut(["diff", "many"])).stdout).toContain("9999 steps");
  expect((await tryOut(["replay", "many"])).stderr).toContain("many holds no fixture");
});

test("CL-2 on a narrow terminal no line is wider than it, words apart", async () => {
  const session = `${legal(1)}\n${legal(2)}\n`;
  const narrow = { COLUMNS: "40" };
  for (const [words, input] of [
    [["--help"]],
    ...COMMANDS.map((name) => [[name, "--help"]] as const),
    [["diff", "-"], session],
    [["diff", "-"], `${legal(1)}\n`.repeat(3)],
    [["check", "-"], session],
    [["doctor"]],
    [["demo"]],
  ] as const) {
    const { stdout } = await tryOut(words, narrow, input);
    expect(stdout, words.join(" ")).not.toBe("");
    for (const line of stdout.split("\n")) {
      // A path, an id or a flag is not cut: a person copies it.
      const broad = line.trim().split(/\s+/).length > 1 && line.length > 40 && !/\S{24,}/.test(line);
      expect(broad, `${words.join(" ")}: ${line}`).toBe(false);
    }
  }
});

test("CL-2 on a narrow terminal the place that moved is what is shown", async () => {
  const turn = (hour: string) =>
    JSON.stringify({
      model: "m",
      max_tokens: 9,
      system: `The clock of the shed says that it is 2026-03-14T${hour}`,
      messages: [],
    });
  const { stdout } = await tryOut(["diff", "-"], { COLUMNS: "40" }, `${turn("09:26:53Z")}\n${turn("10:00:07Z")}\n`);
  expect(stdout).toMatch(/before +…\S*09:26:53Z\n +after +…\S*10:00:07Z\n/);
});

test.each(["start", "doctor", "demo"])("CL-1 %s takes no operand, and says so", async (command) => {
  const { status, stdout, stderr } = await tryOut([command, "empty"]);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(`holdfast: ${command} takes no operand, but "empty" is given\n`);
});

const STARTER = fileURLToPath(new URL("../corpus/starter", import.meta.url));
const AT_WORK = [
  ["--help"],
  ["check", "many"],
  ["diff", "many"],
  ["scan", "empty"],
  ["replay", STARTER],
  ["hash", "legal.json"],
  ["doctor"],
  ["demo"],
];

test("CL-2 what goes to a file has no colour and nothing on stderr", async () => {
  for (const words of AT_WORK) {
    const { status, stdout, stderr } = await tryOut(words);
    // Requests that differ are a finding of diff.
    expect([words, status, stderr]).toEqual([words, words[0] === "diff" ? 1 : 0, ""]);
    expect(stdout, words.join(" ")).not.toContain("\u001b");
  }
});

test.runIf(existsSync("/dev/full"))("CL-1 an output that cannot be written is one line and 2", async () => {
  for (const words of AT_WORK) {
    const { status, stderr } = await runProgramInto("/dev/full", words, {
      cwd: folder,
      env: { HOME: join(folder, "home") },
    });
    expect([words, status]).toEqual([words, 2]);
    expect(stderr, words.join(" ")).toMatch(/^holdfast: the output cannot be written: ENOSPC.*\n$/);
  }
});

test("CL-6 a reader that has seen enough ends every command quietly", async () => {
  for (const words of AT_WORK) {
    const program = startProgram(words, { cwd: folder, env: { HOME: join(folder, "home") } });
    program.child.stdin.end();
    program.child.stdout.once("data", () => program.child.stdout.destroy());
    const { status, stderr } = await program.ended;
    expect([0, 1], `${words.join(" ")}: ${stderr}`).toContain(status);
    expect(stderr, words.join(" ")).toBe("");
  }
});

test("CL-6 Ctrl-C ends a command that waits or works, and leaves no copy of what it read", async () => {
  const temporary = join(folder, "temporary");
  await mkdir(temporary);
  for (const words of [
    ["scan", "-"],
    ["check", "-"],
    ["diff", "many"],
  ]) {
    const env = { HOME: join(folder, "home"), TMPDIR: temporary };
    const program = startProgram(words, { cwd: folder, env });
    program.child.stdin.write(`${legal(1)}\n`);
    // It is at work once it has read what it was given.
    if (words[0] === "scan") await until(async () => (await readdir(temporary)).length > 0);
    else await new Promise((resolve) => setTimeout(resolve, 300));
    program.child.kill("SIGINT");
    const { signal, stderr } = await program.ended;
    expect([words, signal, stderr]).toEqual([words, "SIGINT", ""]);
    expect(await readdir(temporary)).toEqual([]);
  }
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it never came to it");
}
