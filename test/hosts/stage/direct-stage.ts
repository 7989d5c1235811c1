/** Client → tap → simulated provider: no gateway in between, Holdfast is inside the client or not there at all. */
import { onTestFinished } from "vitest";
import { type SimulatedProviderOptions, startSimulatedProvider } from "../../../src/testing/index.ts";
import type { Stage } from "./stage.ts";
import { headerValue, startTap, TAG_HEADER } from "./tap.ts";

/** Everything ends with the test. The provider's ids are the same in every stage. */
export async function setDirectStage(options: SimulatedProviderOptions = {}): Promise<Stage> {
  const provider = await startSimulatedProvider({ idSeed: "same", ...options });
  const front = await startTap(() => provider.url);
  onTestFinished(async () => {
    await front.close();
    await provider.close();
  });
  return {
    provider,
    front,
    back: front,
    anthropicUrl: `${front.url}/anthropic`,
    openaiUrl: `${front.url}/openai/v1`,
    decisions: new Map(),
    storeFile: null,
    arrivals: (tag) => provider.requests.filter(({ rawHeaders }) => headerValue(rawHeaders, TAG_HEADER) === tag),
    restartGateway: async () => {},
  };
}

/** A line of JavaScript that an agent runs at start: it tells Holdfast who answers at the servers of the stage, and where a gateway keeps its data. */
export function environmentOf(stage: Stage): string {
  const vendors = VENDORS.map((name) => `${name}=${stage.front.url}/${name}`);
  const variables = {
    HOLDFAST_UPSTREAMS: [`anthropic=${stage.anthropicUrl}`, `openai=${stage.openaiUrl}`, ...vendors].join(" "),
    ...(stage.storeFile !== null && { HOLDFAST_STORE: `sqlite:${stage.storeFile}` }),
  };
  return `Object.assign(process.env, ${JSON.stringify(variables)});`;
}

/** Servers of the stage beside those two: under their name, in front of the path of their own API. */
const VENDORS = ["google", "bedrock", "mistral", "azure"];
