/** An agent with the extension, and the gateway in front of it, on one store: one session, and each turn counted once. */
import { expect, test } from "vitest";
import { openExtendedOmp } from "./clients/extended-omp.ts";
import { openExtendedOpencode } from "./clients/extended-opencode.ts";
import { openExtendedPi } from "./clients/extended-pi.ts";
import { ompModels } from "./clients/omp.ts";
import { opencodeModels } from "./clients/opencode.ts";
import { piModels } from "./clients/pi.ts";
import { useBuiltPackage } from "./stage/built-package.ts";
import { expectByteTruth } from "./stage/byte-truth.ts";
import { type Stage, setStage } from "./stage/stage.ts";
import { readCounts, type StoredCounts } from "./stage/stored-counts.ts";

const holdfast = useBuiltPackage();

test.each(Object.entries(piModels))(
  "GW-9, HO-9 Pi, %s: extension and gateway are one session, over restarts of both, and a repair is made once",
  async (_api, model) => {
    const stage = await setStage();
    const { agent, install } = await openExtendedPi(stage, model);
    install(holdfast.folder);
    await agent.say("Look twice [[two]]");
    await agent.breakHistory();
    await agent.say("Go on");
    await stage.restartGateway();
    expect(await agent.say("And on")).toContain("You said:");
    const counts = await expectOneSession(stage);
    expect(counts.sum("request", { outcome: "repaired" })).toBe(2);
    expect(counts.sum("repair")).toBe(2);
  },
);

test.each([
  ["OMP", openExtendedOmp, ompModels["anthropic-messages"]],
  ["OpenCode", openExtendedOpencode, opencodeModels["anthropic-messages"]],
] as const)("GW-9 %s: extension and gateway are one session, over restarts of both", async (_name, open, model) => {
  const stage = await setStage();
  const { agent, install } = await open(stage, model);
  install(holdfast.folder);
  await agent.say("Look twice [[two]]");
  await stage.restartGateway();
  expect(await agent.say("And on")).toContain("You said:");
  await expectOneSession(stage);
});

/** Every request was judged by the host, seen by the gateway, and changed by it nowhere. */
async function expectOneSession(stage: Stage): Promise<StoredCounts> {
  const exchanges = stage.front.exchanges.filter(({ method }) => method === "POST");
  expect(exchanges.map(({ status }) => status)).not.toContain(400);
  expect(new Set([...stage.decisions.values()].map(({ session }) => session)).size).toBe(1);
  expect(expectByteTruth(stage)).toBe(exchanges.length);
  // What is not in the store yet is there when the gateway has closed.
  await stage.restartGateway();
  const counts = await readCounts(stage.storeFile!);
  expect(counts.sum("request")).toBe(exchanges.length);
  expect(counts.sum("request_behind_host")).toBe(exchanges.length);
  return counts;
}
