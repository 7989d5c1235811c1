/** What agents that live in processes of their own have to come through besides: death, and a second one at their side. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { PayloadEdit } from "../clients/payload-edit.ts";
import type { AgentProcess } from "./agent-process.ts";
import { expectByteTruth } from "./byte-truth.ts";
import type { Client } from "./client-suite.ts";
import { type Stage, setStage } from "./stage.ts";

export interface Agent extends Client {
  /** Whether a call that never returned is still in the history when the session is resumed. */
  readonly keepsOpenCalls: boolean;
  /** Where its tools run. */
  readonly workFolder: string;
  /** Begins a turn of the session. */
  start(text: string): AgentProcess;
}

/** An agent that others may change, and whose session can be taken up with another model. */
export interface SwitchingAgent extends Agent {
  readonly folder: string;
  /** Turns of the user in one process. */
  converse(texts: readonly string[]): Promise<void>;
  use(model: string): void;
  /** From the next process on, somebody else's extension edits what is about to be sent. */
  editPayloads(edit: PayloadEdit): void;
  /** From the next process on, it loads this module, in the words of its host. */
  addExtension(name: string, text: string): void;
}

/** Longer than it takes to see the tool run; the orphaned shell ends by itself. */
const TOOL_SECONDS = 5;

export function describeAgent(name: string, open: (stage: Stage) => Promise<Agent>): void {
  describe(name, () => {
    test("GW-13 an agent that dies between call and result is resumed", async () => {
      const stage = await setStage();
      const agent = await open(stage);
      await agent.say("Hello");
      const command = `touch running; sleep ${TOOL_SECONDS}`;
      stage.provider.script({ toolCalls: [{ name: "bash", input: { command, description: "Waits" } }] });
      const doomed = agent.start("Wait a little");
      await vi.waitFor(() => expect(existsSync(join(agent.workFolder, "running"))).toBe(true), 60_000);
      doomed.signal("SIGKILL");
      await doomed.ended;

      await stage.restartGateway();
      expect(await agent.say("Go on")).toContain("said:");
      expect(stage.front.exchanges.at(-1)?.body.includes("touch running")).toBe(agent.keepsOpenCalls);
      expect(await agent.say("And on")).toContain("You said:");
      expect(stage.front.exchanges.map(({ status }) => status)).not.toContain(400);
      const sessions = [...stage.decisions.values()].map(({ session }) => session);
      expect(new Set(sessions).size, "sessions, before and after the restart").toBe(1);
      expectByteTruth(stage);
    });

    test("GW-3 two processes go on with one session at once", async () => {
      const stage = await setStage();
      const agent = await open(stage);
      await agent.say("Hello");
      const answers = await Promise.all([agent.say("Look left [[tool]]"), agent.say("Look right [[two]]")]);
      // OpenCode answers both in one of the two.
      expect(answers.join("")).toContain("The tool said:");
      expect(await agent.say("What have you seen?")).toContain("said:");
      expect(stage.front.exchanges.map(({ status }) => status)).not.toContain(400);
      expectByteTruth(stage);
    });
  });
}
