/** Gemini, Bedrock Converse and Mistral through the gateway: what is legal passes, what is broken is repaired. */
import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { type SimulatedBackend, startSimulatedProvider } from "../../src/testing/index.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as bedrock from "../dispatch/converse-body.ts";
import * as google from "../dispatch/google-body.ts";
import { until } from "./until.ts";

interface Server {
  readonly backend: SimulatedBackend;
  readonly path: string;
  readonly streamPath: string;
  readonly legal: object;
  readonly broken: object;
  readonly rule: string;
}

const converseModel = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

const SERVERS: readonly Server[] = [
  {
    backend: "google",
    path: "/v1beta/models/gemini-3-pro:generateContent",
    streamPath: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    legal: google.request([google.user("go")]),
    broken: google.request([google.user("go"), google.model(google.call()), google.user("stop, please")]),
    rule: "G-COUNT-3",
  },
  {
    backend: "vertex",
    path: "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent",
    streamPath: "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    legal: google.request([google.user("go")]),
    broken: google.request([google.user("go"), google.model("well"), google.user(google.response("eleven jars"))]),
    rule: "G-RESP-2",
  },
  {
    backend: "bedrock",
    path: `/model/${encodeURIComponent(converseModel)}/converse`,
    streamPath: `/model/${converseModel}/converse-stream`,
    legal: bedrock.request([bedrock.user("go")]),
    broken: bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a")), bedrock.user("stop, please")]),
    rule: "B-PAIR-1",
  },
  {
    backend: "mistral",
    path: "/v1/chat/completions",
    streamPath: "/v1/chat/completions",
    legal: { ...chat.request([chat.user("go")]), model: "mistral-large-latest" },
    broken: {
      ...chat.request([chat.user("go"), chat.calling(["call_1"]), chat.answer("call_1"), chat.user("stop, please")]),
      model: "mistral-large-latest",
    },
    rule: "M-ID-1",
  },
];

test.each(SERVERS)(
  "GW-3 $backend gets a legal body as it is, and its answer is read, whole and streamed",
  async (server) => {
    const { provider, post, turns } = await setUp(server);
    provider.script({ text: "Well." }, { toolCalls: [{ name: "read", input: { path: "a.txt" } }] });
    const body = JSON.stringify(server.legal, null, 2);
    for (const path of [server.path, server.streamPath]) {
      const answer = await post(path, body);
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    for (const { body: arrived } of provider.requests) expect(Buffer.from(arrived).toString()).toBe(body);
    await until(async () =>
      expect(await turns()).toMatchObject([
        { outcome: "sent", verdict: "admit", usage: { output_tokens: expect.any(Number) } },
        { outcome: "sent", verdict: "admit", usage: { output_tokens: expect.any(Number) } },
      ]),
    );
  },
);

test.each(SERVERS)("GW-3 a broken history is repaired on its way to $backend and accepted", async (server) => {
  const { provider, post, turns } = await setUp(server);
  provider.script({ text: "Well." });
  const answer = await post(server.path, JSON.stringify(server.broken));
  expect(answer.status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([200]);
  await until(async () => expect(await turns()).toMatchObject([{ outcome: "repaired", status: 200 }]));
});

test.each(SERVERS)(
  "GW-10 what $backend rejects while the gateway only observes is explained by its rule",
  async (server) => {
    const { gateway, post, turns } = await setUp(server);
    gateway.modes.set(null, "observe");
    expect((await post(server.path, JSON.stringify(server.broken))).status).toBe(400);
    await until(async () =>
      expect(await turns()).toMatchObject([{ verdict: "unsafe", rejection: { rule: server.rule } }]),
    );
  },
);

async function setUp({ backend }: Server) {
  const provider = await startSimulatedProvider({ backend });
  const engine = await createEngine({ store: openMemoryStore(), hashKey: randomBytes(32) });
  const gateway = await startGateway({
    engine,
    port: 0,
    upstreams: [{ name: "here", url: provider.url, backend }],
    log: createLog({ level: "silent" }),
  });
  onTestFinished(async () => {
    await gateway.close(0);
    await engine.close();
    await provider.close();
  });
  const post = (path: string, body: string) =>
    fetch(`${gateway.baseUrl}/here${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const turns = async () =>
    ((await (await fetch(`${gateway.baseUrl}/api/turns`)).json()) as { turns: readonly object[] }).turns;
  return { provider, gateway, post, turns };
}
