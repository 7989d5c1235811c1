#!/usr/bin/env node
/**
 * The `holdfast` program: finds the command, loads only its module, and turns what happens into an exit code and at most
 * one line on stderr (CL-1). Nothing heavy is imported here: a short command starts about as fast as Node itself.
 */
import { isHoldfastError } from "../lib/error.ts";
import type { Command } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { parseInvocation } from "./invocation.ts";
import { complain, write, writeLine } from "./output.ts";

interface Entry {
  readonly summary: string;
  load(): Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  start: {
    summary: "the gateway in front of the providers, with its status page",
    load: async () => (await import("./start.ts")).start,
  },
  check: {
    summary: "is this request legal for its provider, and what would the gate do?",
    load: async () => (await import("./check.ts")).check,
  },
  diff: {
    summary: "why did the cache break between these two requests?",
    load: async () => (await import("./diff.ts")).diff,
  },
  scan: {
    summary: "which sessions on this machine are bricked, and what broken caches cost",
    load: async () => (await import("./scan.ts")).scan,
  },
  replay: {
    summary: "is every request of a corpus still judged as it was recorded?",
    load: async () => (await import("./replay.ts")).replay,
  },
  hash: {
    summary: "the SHA-256 of the canonical bytes of a JSON document",
    load: async () => (await import("./hash.ts")).hash,
  },
  plan: {
    summary: "the identity of a plan document",
    load: async () => (await import("./plan.ts")).plan,
  },
  doctor: {
    summary: "the state of the store, the agents of this machine and the gateway",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  demo: {
    summary: "the main job in one terminal, without a key",
    load: async () => (await import("./demo.ts")).demo,
  },
};

process.stdout.on("error", endWithOutput);
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<ExitCode> {
  try {
    const [name = "--help", ...rest] = words[0] === "help" ? [...words.slice(1, 2), "--help"] : words;
    if (name === "--help" || name === "-h") return await showHelp();
    if (name === "--version") return await showVersion();
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) return await rejectName(name);
    const command = await entry.load();
    const invocation = parseInvocation(command, rest);
    if (invocation.isOn("help")) return await showHelp(command);
    return await command.run(invocation);
  } catch (error) {
    return explain(error, words.includes("--debug"));
  }
}

async function showHelp(command?: Command): Promise<ExitCode> {
  const { describeCommand, describeProgram } = await import("./help.ts");
  const program = Object.entries(COMMANDS).map(([name, entry]) => [name, entry.summary] as const);
  write(command === undefined ? describeProgram(program) : describeCommand(command));
  return EXIT.fine;
}

async function showVersion(): Promise<ExitCode> {
  const { readVersion } = await import("./version.ts");
  writeLine(readVersion());
  return EXIT.fine;
}

async function rejectName(name: string): Promise<ExitCode> {
  const { findNearestName } = await import("./nearest-name.ts");
  const nearest = findNearestName(name, [...Object.keys(COMMANDS), "--help", "--version"]);
  const what = name.startsWith("-") ? "flag" : "command";
  complain(
    `unknown ${what} ${name}${nearest === null ? "" : `, did you mean ${nearest}?`}; "holdfast --help" lists all`,
  );
  return EXIT.broken;
}

/** The last stop of every failure: the message for a person, the stack only where it is asked for. */
function explain(error: unknown, debug: boolean): ExitCode {
  const message = error instanceof Error ? error.message : String(error);
  if (isHoldfastError(error)) complain(message);
  else if (isOldNode())
    complain(`Node ${process.versions.node} is too old: holdfast needs Node 22.19 or newer (${message})`);
  else complain(`unexpected failure: ${message} (--debug shows where; please report it)`);
  if (debug && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return EXIT.broken;
}

/** Asked only once something has failed: what an old runtime can do, it may do. */
function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major * 100 + minor < 2219;
}

/** A closed pipe is how `head` says that it has seen enough (CL-6); any other failure has lost what was written (CL-1). */
function endWithOutput(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.fine);
  complain(`the output cannot be written: ${error.message}; name another place for it`);
  process.exit(EXIT.broken);
}
