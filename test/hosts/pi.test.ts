import { expect, test } from "vitest";
import { openPi, piModels } from "./clients/pi.ts";
import { describeAgent } from "./stage/agent-suite.ts";
import { expectByteTruth, sendDirectly } from "./stage/byte-truth.ts";
import { describeClient } from "./stage/client-suite.ts";
import { setStage } from "./stage/stage.ts";

for (const [api, model] of Object.entries(piModels)) {
  describeClient(`Pi, ${api}`, (stage) => openPi(stage, model));
  describeAgent(`Pi, ${api}`, (stage) => openPi(stage, model));
}

test("DG-24 a session with a broken row moves from one API to another, and back", async () => {
  const stage = await setStage();
  const pi = await openPi(stage, piModels["anthropic-messages"]);
  await pi.say("Look [[think]] [[tool]]");
  await pi.breakHistory();
  for (const api of ["openai-responses", "openai-completions", "anthropic-messages"] as const) {
    const before = stage.front.exchanges.length;
    pi.use(piModels[api]);
    expect(await pi.say(`Think again [[think]] [[tool]]`), api).toContain("The tool said:");
    const [first, ...others] = stage.front.exchanges.slice(before);
    for (const exchange of [first!, ...others]) {
      expect(stage.decisions.get(exchange.tag), api).toMatchObject({ api, outcome: "repaired" });
      expect(await sendDirectly(stage, exchange), api).toBe(400);
    }
  }
  await stage.restartGateway();
  expect(await pi.say("Are we there?")).toContain("You said:");
  expectByteTruth(stage);
});
