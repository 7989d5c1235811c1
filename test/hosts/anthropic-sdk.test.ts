import { expect, test } from "vitest";
import { openAnthropicSdk } from "./clients/anthropic-sdk.ts";
import { expectByteTruth } from "./stage/byte-truth.ts";
import { describeClient, expectRepairedPrefixRead, LONG_TEXT } from "./stage/client-suite.ts";
import { setStage } from "./stage/stage.ts";

describeClient("@anthropic-ai/sdk", openAnthropicSdk);

test("DG-74 a repaired prefix stays while another program holds the store", async () => {
  const stage = await setStage();
  const client = await openAnthropicSdk(stage);
  await client.say(`${LONG_TEXT} Look [[tool]]`);
  await client.breakHistory();
  const release = stage.lockStore();
  for (const text of ["Go on", "One turn behind it", "Two turns behind it"]) {
    expect(await client.say(text)).toContain("said:");
  }
  release();
  expectRepairedPrefixRead(stage);
  expectByteTruth(stage);
});
