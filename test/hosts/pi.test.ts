import { test } from "vitest";
import { openPi, piModels } from "./clients/pi.ts";
import { describeAgent } from "./stage/agent-suite.ts";
import { describeClient } from "./stage/client-suite.ts";
import { setStage } from "./stage/stage.ts";
import { expectSwitches } from "./stage/switch-apis.ts";

for (const [api, model] of Object.entries(piModels)) {
  describeClient(`Pi, ${api}`, (stage) => openPi(stage, model));
  describeAgent(`Pi, ${api}`, (stage) => openPi(stage, model));
}

test("DG-24 a session with a broken row moves from one API to another, and back", async () => {
  const stage = await setStage();
  const pi = await openPi(stage, piModels["anthropic-messages"]);
  await expectSwitches(stage, pi, (api) => pi.use(piModels[api]));
});
