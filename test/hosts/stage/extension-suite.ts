/** What has to hold for every agent that loads Holdfast into itself. */
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CapturedRequest } from "../../../src/testing/index.ts";
import type { AgentEnd } from "./agent-process.ts";
import { useBuiltPackage } from "./built-package.ts";
import { setDirectStage } from "./direct-stage.ts";
import type { Stage } from "./stage.ts";

/** One session of an agent in a home of its own. */
export interface ExtendedAgent {
  readonly folder: string;
  /** Where Holdfast keeps its data here. */
  readonly storePath: string;
  /** From the next turn on, the agent loads the package in this folder. */
  install(packageFolder: string): void;
  say(text: string): Promise<AgentEnd>;
  /** Leaves the history in a state that the provider rejects, as this agent can come to it. */
  breakHistory(): void;
}

export type OpenAgent = (stage: Stage, model: string) => ExtendedAgent;

/** Longer than the smallest prefix that any API caches. */
const LONG_TEXT = "These are the notes of the project that the agent works on. ".repeat(400);

export function describeExtension(name: string, models: Readonly<Record<string, string>>, open: OpenAgent): void {
  const holdfast = useBuiltPackage();

  describe.each(Object.entries(models))(`${name}, %s`, (_api, model) => {
    test("DG-5 an undisturbed session has the same bytes and the same cache with Holdfast as without", async () => {
      const [without, withIt] = [await setDirectStage(), await setDirectStage()];
      const bodies = [];
      for (const stage of [without, withIt]) {
        const agent = open(stage, model);
        if (stage === withIt) agent.install(holdfast.folder);
        for (const text of [`${LONG_TEXT} Look [[tool]]`, "And now? [[two]]", "Thank you"]) await agent.say(text);
        bodies.push(stage.provider.requests.map((request) => withoutPlace(request, agent.folder)));
        expect(existsSync(agent.storePath)).toBe(stage === withIt);
      }
      expect(bodies[0]!.length).toBeGreaterThanOrEqual(5);
      expect(bodies[1]).toEqual(bodies[0]);
      const [plain, guarded] = [without, withIt].map(({ provider }) => provider.meter.turns.map(({ read }) => read));
      expect(guarded!.filter((read) => read > 0)).toHaveLength(plain!.filter((read) => read > 0).length);
      expect(guarded!.at(-1)).toBeGreaterThan(LONG_TEXT.length / 4);
    });

    test("DG-20, DG-25 a session that the provider rejects goes on, with the same repair after a restart", async () => {
      const stage = await setDirectStage();
      const agent = open(stage, model);
      await agent.say(`${LONG_TEXT} Look [[tool]]`);
      agent.breakHistory();
      await agent.say("Go on");
      expect(stage.provider.requests.at(-1)!.status).toBe(400);

      agent.install(holdfast.folder);
      for (const text of ["Go on", "And on", "And on again"]) {
        await agent.say(text);
        expect(stage.provider.requests.at(-1)!.status, text).toBe(200);
      }
      const [first, second, third] = stage.provider.meter.turns.slice(-3);
      expect(second!.read).toBe(first!.read + first!.written);
      expect(third!.read).toBe(second!.read + second!.written);
    });
  });

  const [model] = Object.values(models);

  test(`DG-74 ${name} goes on where every check of ours throws`, async () => {
    const stage = await setDirectStage();
    const agent = open(stage, model!);
    agent.install(failingCopy(holdfast.folder));
    const { output } = await agent.say("Look [[tool]]");
    expect(output).toContain("The tool said:");
    expect(stage.provider.requests.every(({ status }) => status === 200)).toBe(true);
  });

  test(`DG-74 ${name} goes on, and is repaired, while another program holds the store`, async () => {
    const stage = await setDirectStage();
    const agent = open(stage, model!);
    agent.install(holdfast.folder);
    await agent.say("Look [[tool]]");
    agent.breakHistory();
    lock(agent.storePath);
    await agent.say("Go on");
    expect(stage.provider.requests.at(-1)!.status).toBe(200);
  });
}

/** The body without what two homes and two moments differ in: the folder, session ids, and how long a command took. */
function withoutPlace({ body }: CapturedRequest, folder: string): string {
  return body
    .toString()
    .replaceAll(folder, "HOME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/Wall time: [\d.]+ seconds/g, "Wall time");
}

/** The package with an engine that cannot check anything. */
function failingCopy(packageFolder: string): string {
  const copy = `${packageFolder}-failing`;
  cpSync(packageFolder, copy, { recursive: true });
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const text = `export async function createEngine() {
    const fail = () => { throw new Error("ours"); };
    return { checkRequest: fail, retryAfterRejection: fail, observeResponse: fail, count() {}, counters: fail, close: fail };
  }`;
  writeFileSync(`${copy}/dist/engine/create-engine.js`, text);
  return copy;
}

function lock(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("BEGIN EXCLUSIVE");
  onTestFinished(() => database.close());
}
