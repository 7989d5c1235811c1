/** Runs the program as a person does: a process of its own, with real pipes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
}

/** @param words what stands behind `holdfast` on the command line */
export async function runProgram(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const program = startProgram(words, options);
  program.child.stdin.end(options.input);
  return await program.ended;
}

/** As a shell does for `holdfast … > PATH`. */
export async function runProgramInto(path: string, words: readonly string[], { env = {}, cwd }: RunOptions = {}) {
  const { HOME, PATH } = process.env;
  const file = await open(path, "w");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...words], {
    cwd,
    env: { HOME, PATH, ...env },
    stdio: ["ignore", file.fd, "pipe"],
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  await file.close();
  return { status: status as number | null, stderr };
}

export function startProgram(words: readonly string[], { env = {}, cwd }: RunOptions = {}) {
  const { HOME, PATH } = process.env;
  // Nothing of the machine's own settings may reach a test.
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...words], {
    cwd,
    env: { HOME, PATH, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  // A program that ends before it reads closes the pipe; that is its right.
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
  return { child, ended, output: () => stdout };
}
