/** What has to hold for every agent that loads Holdfast into itself. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Api } from "../../../src/wire/api.ts";
import { proves } from "../matrix/proves.ts";
import type { Host } from "../matrix/stages.ts";
import type { Agent } from "./agent-suite.ts";
import { useBuiltPackage } from "./built-package.ts";
import { setDirectStage } from "./direct-stage.ts";
import { holdLock } from "./hold-lock.ts";
import { firstDifference, withoutPlace } from "./same-bytes.ts";
import type { Stage } from "./stage.ts";
import { readCounts } from "./stored-counts.ts";

/** One session of an agent in a home of its own. */
export interface ExtendedAgent {
  readonly agent: Agent;
  readonly folder: string;
  /** Where Holdfast keeps its data here. */
  readonly storePath: string;
  /**
   * From the next turn on, the agent loads the package in this folder.
   * @param environment a line of JavaScript that runs before it; tells it who answers at the servers unless given
   */
  install(packageFolder: string, environment?: string): void;
}

export interface ExtendedHost<Extended extends ExtendedAgent = ExtendedAgent> {
  readonly host: Host;
  readonly models: Readonly<Partial<Record<Api, string>>>;
  readonly open: (stage: Stage, model: string) => Promise<Extended>;
}

/** A store that nobody bounds waits 10 s for its lock when it opens and 10 s when it writes: an agent hung for both. */
const STORE_PATIENCE_MS = 15_000;

/** Longer than the smallest prefix that any API caches. */
const LONG_TEXT = "These are the notes of the project that the agent works on. ".repeat(400);

export function describeExtension({ host, models, open }: ExtendedHost): void {
  const holdfast = useBuiltPackage();

  describe.each(Object.entries(models) as [Api, string][])(`${host}, %s`, (api, model) => {
    test(
      "HO-1, DG-5 an undisturbed session has the same bytes and the same cache with Holdfast as without",
      proves(host, ["same bytes"], api),
      async () => {
        const [without, withIt] = [await setDirectStage(), await setDirectStage()];
        const bodies = [];
        for (const stage of [without, withIt]) {
          const { agent, folder, storePath, install } = await open(stage, model);
          if (stage === withIt) install(holdfast.folder);
          // What a command says is not the same in every run, and parallel results come in any order.
          stage.provider.script({
            toolCalls: [{ name: "bash", input: { command: "true", description: "Does nothing" } }],
          });
          await agent.say(LONG_TEXT);
          await agent.say("Thank you");
          bodies.push(stage.provider.requests.map((request) => withoutPlace(request, folder)));
          expect(existsSync(storePath)).toBe(stage === withIt);
        }
        expect(bodies[0]!.length).toBeGreaterThanOrEqual(3);
        expect(firstDifference(bodies[0]!.join("\n"), bodies[1]!.join("\n"))).toBe(null);
        const [plain, guarded] = [without, withIt].map(({ provider }) => provider.meter.turns.map(({ read }) => read));
        expect(guarded!.filter((read) => read > 0)).toHaveLength(plain!.filter((read) => read > 0).length);
        expect(guarded!.at(-1)).toBeGreaterThan(LONG_TEXT.length / 4);
      },
    );

    test(
      "HO-1, DG-20, DG-25 a session that the provider rejects goes on, with the same repair after a restart",
      proves(host, ["repair ahead", "restart"], api),
      async () => {
        const stage = await setDirectStage();
        const { agent, storePath, install } = await open(stage, model);
        await agent.say(`${LONG_TEXT} Look twice [[two]]`);
        await agent.breakHistory();
        await agent.start("Go on").ended;
        expect(stage.provider.requests.at(-1)!.status).toBe(400);

        install(holdfast.folder);
        for (const text of ["Go on", "And on", "And on again"]) {
          await agent.say(text);
          expect(stage.provider.requests.at(-1)!.status, text).toBe(200);
        }
        // On a machine that is busy a process may have done without its store.
        expect((await readCounts(storePath)).sum("request", { outcome: "repaired" })).toBeGreaterThanOrEqual(1);
        const [first, second, third] = stage.provider.meter.turns.slice(-3);
        expect(second!.read).toBe(first!.read + first!.written);
        expect(third!.read).toBe(second!.read + second!.written);
      },
    );
  });

  const [model] = Object.values(models);

  test(
    `HO-3, DG-74 ${host} goes on where a check of ours throws or never ends`,
    proves(host, ["throw in our code", "slow code of ours"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, folder, install } = await open(stage, model!);
      install(failingCopy(holdfast.folder));
      expect(await agent.say("Look [[tool]]")).toContain("The tool said:");
      expect(stage.provider.requests.every(({ status }) => status === 200)).toBe(true);
      expect(readFileSync(`${folder}/counts`, "utf8")).toMatch(/^(own_failure throw\n)+own_failure deadline\n/);
    },
  );

  test(
    `HO-5, HO-11, DG-74 ${host} goes on, is repaired, and ends while another program holds the store`,
    proves(host, ["store locked"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await open(stage, model!);
      install(holdfast.folder);
      await agent.say("Look twice [[two]]");
      await agent.breakHistory();
      const before = stage.provider.requests.length;
      holdLock(storePath);
      const turn = agent.start("Go on");
      await vi.waitFor(() => expect(stage.provider.requests.length).toBeGreaterThan(before), 60_000);
      const late = wait(STORE_PATIENCE_MS, "late", { ref: false });
      expect(await Promise.race([turn.ended, late])).toMatchObject({ code: 0 });
      expect(stage.provider.requests.slice(before).map(({ status }) => status)).toEqual([200]);
    },
  );
}

/** The package with an engine whose first check throws and whose others never end. */
function failingCopy(packageFolder: string): string {
  const copy = `${packageFolder}-failing`;
  cpSync(packageFolder, copy, { recursive: true });
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const text = `import { appendFileSync } from "node:fs";
    let checks = 0;
    const fail = () => { throw new Error("ours"); };
    export const createEngine = async () => ({
      prepareTurn: fail,
      checkRequest: () => (checks++ === 0 ? fail() : new Promise(() => {})),
      count: (name, { reason }) => appendFileSync(process.env.HOME + "/counts", name + " " + reason + "\\n"),
      retryAfterRejection: fail, observeResponse: fail, counters: fail, close: fail,
    });`;
  writeFileSync(`${copy}/dist/engine/create-engine.js`, text);
  return copy;
}
