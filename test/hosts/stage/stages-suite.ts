/** What an agent comes through when others edit its payloads, its model changes, and a second process is at its side. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pruneToolResults } from "../clients/prune-tool-results.ts";
import { proves } from "../matrix/proves.ts";
import type { SwitchingAgent } from "./agent-suite.ts";
import { useBuiltPackage } from "./built-package.ts";
import { setDirectStage } from "./direct-stage.ts";
import type { ExtendedAgent, ExtendedHost } from "./extension-suite.ts";
import { readCounts } from "./stored-counts.ts";

export interface ChangingAgent extends ExtendedAgent {
  readonly agent: SwitchingAgent;
}

export interface ChangingHost extends ExtendedHost<ChangingAgent> {
  /** Whether Holdfast may send a request again there. */
  readonly retries: boolean;
  /** An extension that writes the name of each hook into the file `order` of the home, and the names that are expected. */
  readonly hookOrder: { readonly source: string; readonly names: readonly string[] };
}

export function describeStages({ host, models, open, retries, hookOrder }: ChangingHost): void {
  const holdfast = useBuiltPackage();
  const [model, other] = Object.values(models) as [string, string];

  test(`HO-2, HO-10 ${host} calls our hooks in the order that they rely on`, proves(host, ["hook order"]), async () => {
    const stage = await setDirectStage();
    const { agent, install } = await open(stage, model);
    install(holdfast.folder);
    agent.addExtension("order", hookOrder.source);
    await agent.say("Look [[tool]]");
    expect(readFileSync(`${agent.folder}/order`, "utf8").trimEnd().split("\n")).toEqual(hookOrder.names);
  });

  const when = retries ? "at once" : "on the next request";
  test(
    `HO-4, HO-7, DG-11 ${host}: what an unknown server rejects is repaired ${when}, and ahead from then on`,
    proves(host, ["repair after a 400"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await open(stage, model);
      agent.editPayloads(pruneToolResults);
      await agent.start("Look [[tool]]").ended;
      expect(stage.provider.requests.map(({ status }) => status)).toEqual([200, 400]);
      // Nobody says who answers at this address.
      install(holdfast.folder, "");
      const turns: number[][] = [];
      for (const text of ["Go on", "And on"]) {
        const before = stage.provider.requests.length;
        await agent.start(text).ended;
        turns.push(stage.provider.requests.slice(before).map(({ status }) => status));
      }
      // OpenCode's history has a second fault by now, and each rule is learned once.
      if (retries) for (const turn of turns) expect(turn.at(-1)).toBe(200);
      else expect(turns[1]).toEqual([200]);
      expect(turns[0]![0]).toBe(400);
      expect((await readCounts(storePath)).sum("rule_confirmed", { rule: "A-PAIR-1" })).toBe(1);
    },
  );

  test(
    `DG-24, DG-43 ${host}: a broken session moves to another API in mid-session, and back`,
    proves(host, ["model switch"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await open(stage, model);
      await agent.say("Look [[tool]]");
      install(holdfast.folder);
      agent.editPayloads(pruneToolResults);
      const before = stage.provider.requests.length;
      for (const next of [other, model]) {
        agent.use(next);
        await agent.say("Go on");
      }
      expect(stage.provider.requests.slice(before).map(({ status }) => status)).toEqual([200, 200]);
      // Without a repair both are rejected. On a busy machine a store that opens late misses the count of one process.
      expect((await readCounts(storePath)).sum("request", { outcome: "repaired" })).toBeGreaterThanOrEqual(1);
    },
  );

  test(
    `HO-8, DG-70 ${host}: two processes go on with one session and one store at once`,
    proves(host, ["two processes"]),
    async () => {
      const stage = await setDirectStage();
      const { agent, storePath, install } = await open(stage, model);
      install(holdfast.folder);
      await agent.say("Hello");
      const answers = await Promise.all([agent.say("Look left [[tool]]"), agent.say("Look right [[two]]")]);
      // OpenCode answers both in one of the two.
      expect(answers.join("")).toContain("The tool said:");
      expect(await agent.say("What have you seen?")).toContain("said:");
      const { requests } = stage.provider;
      const counts = await readCounts(storePath);
      // One may see the other's turn half written, which only a rejection can show.
      const rejected = requests.filter(({ status }) => status === 400).length;
      expect(rejected).toBeLessThanOrEqual(1);
      // On a busy machine a store that opens late misses the counts of one process.
      expect(counts.sum("request")).toBeLessThanOrEqual(requests.length - rejected);
      expect(counts.sum("request")).toBeGreaterThanOrEqual(3);
      expect(counts.of("own_failure")).toEqual([]);
      expect(counts.of("event_lost")).toEqual([]);
    },
  );
}
