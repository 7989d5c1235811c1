/** An agent as a process of its own: clean environment, empty input, and never left behind by the test that started it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** The slowest agent needs twelve seconds for a turn on an idle machine. */
const RUN_MS_MAX = 120_000;

export interface AgentCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  /** All of it: nothing of the test's own environment goes along. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface AgentProcess {
  readonly ended: Promise<AgentEnd>;
  /** By process id, and only this process. */
  signal(name: NodeJS.Signals): void;
}

export interface AgentEnd {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export function startAgent({ program, words, folder, environment }: AgentCommand): AgentProcess {
  const child = spawn(program, words, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const tooLong = setTimeout(() => child.kill("SIGKILL"), RUN_MS_MAX);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    ended: endOf(child).finally(() => clearTimeout(tooLong)),
    signal: (name) => void child.kill(name),
  };
}

async function endOf(child: ChildProcess): Promise<AgentEnd> {
  const [[code], output, errors] = await Promise.all([once(child, "close"), text(child.stdout!), text(child.stderr!)]);
  return { code, output, errors };
}

/** @throws when the agent ends with an error, with what it said. */
export async function runAgent(command: AgentCommand): Promise<string> {
  const { code, output, errors } = await startAgent(command).ended;
  if (code !== 0) throw new Error(`${command.program} ended with ${code}:\n${errors}\n${output}`);
  return output;
}
