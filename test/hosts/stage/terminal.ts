/** An agent in a terminal, as a person sits before it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { AgentCommand } from "./agent-process.ts";

export interface Terminal {
  /** Types a line, as soon as the screen is still, and presses Enter. */
  enter(line: string): Promise<void>;
  press(key: string): Promise<void>;
  /** As a window that is closed. */
  close(): Promise<void>;
}

/** Longer than the pause between two frames of a screen that is still at work. */
const STILL_MS = 1_000;
const LOOK_EVERY_MS = 100;

/** Between the last letter and Enter: faster, and it would be a pasted text. */
const KEY_MS = 300;

/** The program `script` gives it a terminal; it is part of every Debian. */
export function openTerminal({ program, words, folder, environment }: AgentCommand): Terminal {
  const line = [program, ...words].map((word) => `'${word}'`).join(" ");
  const env = { ...environment, TERM: "xterm-256color", SHELL: "/bin/sh" };
  const child = spawn("script", ["-qefc", line, "/dev/null"], { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shownAt = Number.POSITIVE_INFINITY;
  child.stdout.on("data", () => {
    shownAt = performance.now();
  });
  const press = async (key: string) => {
    while (performance.now() - shownAt < STILL_MS || shownAt === Number.POSITIVE_INFINITY) await wait(LOOK_EVERY_MS);
    child.stdin.write(key);
  };
  return {
    press,
    async enter(text) {
      await press(text);
      await wait(KEY_MS);
      child.stdin.write("\r");
    },
    async close() {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
