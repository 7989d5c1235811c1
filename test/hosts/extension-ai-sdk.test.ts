import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, type ModelMessage, streamText, wrapLanguageModel } from "ai";
import {
  generateText as generateText6,
  streamText as streamText6,
  wrapLanguageModel as wrapLanguageModel6,
} from "ai-6";
import { createAnthropic as createAnthropic3 } from "ai-sdk-anthropic-3";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { holdfast } from "../../src/hosts/ai-sdk/middleware.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { aiSdk6Host, aiSdk7Host } from "./clients/in-process.ts";
import { setDirectStage } from "./stage/direct-stage.ts";
import { describeInProcess } from "./stage/in-process-suite.ts";

const versions = {
  "AI SDK 7": { createAnthropic, generateText, streamText, wrapLanguageModel },
  "AI SDK 6": {
    createAnthropic: createAnthropic3,
    generateText: generateText6,
    streamText: streamText6,
    wrapLanguageModel: wrapLanguageModel6,
  },
} as unknown as Readonly<
  Record<
    string,
    {
      createAnthropic: typeof createAnthropic;
      generateText: typeof generateText;
      streamText: typeof streamText;
      wrapLanguageModel: typeof wrapLanguageModel;
    }
  >
>;

const legal: ModelMessage[] = [{ role: "user", content: "Go on" }];

/** As a cut of the oldest rows leaves it: a call without its result would not leave the SDK. */
const orphan: ModelMessage[] = [
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "toolu_1", toolName: "read", output: { type: "text", value: "what it read" } },
    ],
  },
  ...legal,
];

async function openTestEngine(): Promise<Engine> {
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  onTestFinished(() => engine.close());
  return engine;
}

describeInProcess(aiSdk7Host);
describeInProcess(aiSdk6Host);

describe.each(Object.entries(versions))("%s", (_name, sdk) => {
  async function setUp() {
    const stage = await setDirectStage();
    const engine = await openTestEngine();
    const upstreams = [{ name: "anthropic", url: stage.anthropicUrl, backend: "anthropic" }] as const;
    const plain = sdk.createAnthropic({ baseURL: `${stage.anthropicUrl}/v1`, apiKey: "key-of-the-user" })(
      "claude-opus-5-5",
    );
    const middleware = holdfast({ engine, upstreams });
    const model = sdk.wrapLanguageModel({ model: plain, middleware });
    return { provider: stage.provider, engine, plain, model, middleware };
  }

  test("HO-1, DG-5 a legal prompt leaves with the bytes that the SDK encodes", async () => {
    const { provider, model, plain } = await setUp();
    await sdk.generateText({ model: plain, messages: legal, maxRetries: 0 });
    await sdk.generateText({ model, messages: legal, maxRetries: 0 });
    await sdk.streamText({ model, messages: legal, maxRetries: 0 }).text;
    const [without, withIt, streamed] = provider.requests.map(({ body }) => body.toString());
    expect(withIt).toBe(without);
    expect(JSON.parse(streamed!)).toEqual({ ...JSON.parse(without!), stream: true });
  });

  test("HO-4, DG-20 an orphaned result is repaired, generated and streamed", async () => {
    const { provider, engine, model, plain } = await setUp();
    await expect(sdk.generateText({ model: plain, messages: orphan, maxRetries: 0 })).rejects.toThrow();
    await sdk.generateText({ model, messages: orphan, maxRetries: 0 });
    expect(await sdk.streamText({ model, messages: orphan, maxRetries: 0 }).text).toContain("said:");
    expect(provider.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(engine.counters().filter(({ name }) => name === "request")).toMatchObject([{ count: 2 }]);
  });

  test("HO-3, DG-74 a model without a fetch of its own goes on unseen, with a count", async () => {
    const { engine, plain, middleware } = await setUp();
    const { doGenerate, provider, modelId, supportedUrls } = plain;
    const closed = { specificationVersion: plain.specificationVersion, provider, modelId, supportedUrls };
    const bound = { ...closed, doGenerate: doGenerate.bind(plain), doStream: plain.doStream.bind(plain) };
    const model = sdk.wrapLanguageModel({ model: bound as typeof plain, middleware });
    await sdk.generateText({ model, messages: legal, maxRetries: 0 });
    expect(engine.counters()).toMatchObject([{ name: "request_unread", labels: { reason: "model" }, count: 1 }]);
  });
});
