import Anthropic from "@anthropic-ai/sdk";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { LOCAL_OWNER } from "../engine/plan-store.ts";
import { startRun } from "../engine/start-run.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";
import { renderPrefix, renderRequest } from "../plan/render.ts";
import { openMemoryStore } from "../store/memory/open-store.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../testing/index.ts";
import { wrapFetch } from "./wrap-fetch.ts";

async function setUp(): Promise<{ provider: SimulatedProvider; engine: Engine; client: Anthropic }> {
  const provider = await startSimulatedProvider();
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  onTestFinished(async () => {
    await engine.close();
    await provider.close();
  });
  const upstreams = [{ name: "anthropic", url: provider.url, backend: "anthropic" }] as const;
  const client = new Anthropic({
    apiKey: "k",
    baseURL: provider.url,
    maxRetries: 0,
    fetch: wrapFetch(fetch, { engine, upstreams }),
  });
  return { provider, engine, client };
}

type Params = Anthropic.MessageCreateParamsNonStreaming;

const BROKEN: Params = {
  model: "claude-sonnet-4-5",
  max_tokens: 64,
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
    { role: "user", content: "stop" },
  ],
};

test("DG-20 a broken history goes through the SDK repaired, streamed or not", async () => {
  const { provider, client } = await setUp();
  expect((await client.messages.create(BROKEN)).type).toBe("message");
  const streamed = await client.messages.stream(BROKEN).finalMessage();
  expect(streamed.type).toBe("message");
  expect(provider.requests.map(({ status }) => status)).toEqual([200, 200]);
});

test("DG-5 a legal request leaves with the caller's own body", async () => {
  const { engine } = await setUp();
  const sent: (RequestInit | undefined)[] = [];
  const inner: typeof fetch = async (_input, init) => {
    sent.push(init);
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const init = { method: "POST", body: JSON.stringify({ ...BROKEN, messages: BROKEN.messages.slice(0, 1) }) };
  await wrapFetch(inner, { engine })("https://api.anthropic.com/v1/messages", init);
  expect(sent[0]).toBe(init);
});

test("DG-12 an option is tried once after the 400; where that does not help the caller gets the first answer", async () => {
  const { provider, client } = await setUp();
  const forced: Params = { ...BROKEN, model: "claude-fable-5-1", messages: [{ role: "user", content: "go" }] };
  const tools: Params["tools"] = [{ name: "read", input_schema: { type: "object" } }];
  await client.messages.create({ ...forced, tools, tool_choice: { type: "any" } });
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200]);
});

test("DG-74 an engine that throws or hangs costs no turn and is counted", async () => {
  const { engine } = await setUp();
  const failing: Engine = { ...engine, checkRequest: () => Promise.reject(new Error("ours")) };
  const inner: typeof fetch = async () => new Response("ok");
  const answer = await wrapFetch(inner, { engine: failing })("https://api.anthropic.com/v1/messages", { body: "{}" });
  expect(await answer.text()).toBe("ok");
  expect(engine.counters()).toContainEqual({
    name: "own_failure",
    labels: { where: "fetch_check", reason: "throw" },
    count: 1,
  });
});

test("PI-16 an agent's own run is compared with each of its requests", async () => {
  const { provider, engine } = await setUp();
  const agent: AgentDefinition = {
    ...{ api: "anthropic-messages", model: "claude-sonnet-4-5", framing: "You work.", instructions: "", persona: null },
    ...{ skills: [], tools: [], policyVersion: "1", builderVersion: "1" },
  };
  const stores = { store: openMemoryStore(), owner: LOCAL_OWNER };
  const run = await startRun(stores, { session: "s", run: "r", scopes: [], agent });
  if (run.kind !== "started") throw new Error(run.kind);
  const upstreams = [{ name: "anthropic", url: provider.url, backend: "anthropic" }] as const;
  const sending = wrapFetch(fetch, { engine, upstreams, planned: () => run });
  const turn = { model: "claude-sonnet-4-5", max_tokens: 64, messages: [{ role: "user", content: "go" }] };
  const body = renderRequest(renderPrefix(run.plan, run.snapshotText), turn);
  const seen = () => engine.counters().filter(({ labels }) => labels.class === "plan_prefix");
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "k" };
  const send = async (text: string) =>
    (await sending(`${provider.url}/v1/messages`, { method: "POST", headers, body: text })).status;

  expect(await send(body)).toBe(200);
  expect(seen()).toEqual([]);
  expect(await send(body.replace("You work.", "You rest."))).toBe(200);
  expect(seen()).toMatchObject([{ name: "divergence", count: 1 }]);
});

test.each([
  { authorization: "AWS4-HMAC-SHA256 Credential=id/20261201/us-east-1/bedrock/aws4_request, Signature=00" },
  { digest: "sha-256=00" },
])("DG-24 a request whose headers promise its body is never changed, nor sent again: %j", async (headers) => {
  const { provider, engine } = await setUp();
  const upstreams = [{ name: "anthropic", url: provider.url, backend: "anthropic" }] as const;
  const body = JSON.stringify(BROKEN);
  const send = wrapFetch(fetch, { engine, upstreams });
  const { status } = await send(`${provider.url}/v1/messages`, { method: "POST", headers, body });
  expect(status).toBe(400);
  expect(provider.requests.map((request) => request.body.toString())).toEqual([body]);
  expect(engine.counters()).toContainEqual(expect.objectContaining({ name: "request", count: 1 }));
});
