import { expect } from "vitest";
import { expectByteTruth, sendDirectly } from "./byte-truth.ts";
import type { Client } from "./client-suite.ts";
import type { Stage } from "./stage.ts";

const ROUND = ["openai-responses", "openai-completions", "anthropic-messages"] as const;

/**
 * A session that began on Anthropic Messages and holds a broken row goes round the APIs. Each encodes the row in its own
 * words, each provider rejects it, and each turn goes on.
 */
export async function expectSwitches(stage: Stage, client: Client, use: (api: (typeof ROUND)[number]) => void) {
  await client.say("Look [[think]] [[tool]]");
  await client.breakHistory();
  for (const api of ROUND) {
    const before = stage.front.exchanges.length;
    use(api);
    expect(await client.say("Think again [[think]] [[tool]]"), api).toContain("The tool said:");
    const sent = stage.front.exchanges.slice(before);
    expect(sent.length, api).toBeGreaterThanOrEqual(2);
    for (const exchange of sent) {
      expect(stage.decisions.get(exchange.tag), api).toMatchObject({ api, outcome: "repaired" });
      expect(await sendDirectly(stage, exchange), api).toBe(400);
    }
  }
  await stage.restartGateway();
  expect(await client.say("Are we there?")).toContain("You said:");
  expectByteTruth(stage);
}
