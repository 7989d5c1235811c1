import { test } from "vitest";
import { aiSdkModels, openAiSdk } from "./clients/ai-sdk.ts";
import { describeClient } from "./stage/client-suite.ts";
import { setStage } from "./stage/stage.ts";
import { expectSwitches } from "./stage/switch-apis.ts";

for (const api of ["anthropic-messages", "openai-completions", "openai-responses"] as const) {
  describeClient(`AI SDK 7, ${api}`, async (stage) => openAiSdk(aiSdkModels(stage)[api]));
}

test("DG-24 a conversation with a broken row moves from one API to another, and back", async () => {
  const stage = await setStage();
  const models = aiSdkModels(stage);
  const client = openAiSdk(models["anthropic-messages"]);
  await expectSwitches(stage, client, (api) => client.use(models[api]));
});
