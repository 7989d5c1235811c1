import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import { ENGINE_OWNER } from "../../src/engine/journal.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openStore } from "../../src/store/open-store.ts";
import { startSimulatedProvider } from "../../src/testing/simulated-provider.ts";
import { until } from "./until.ts";

const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } }] };
const tools = [{ name: "read", input_schema: { type: "object", properties: { path: { type: "string" } } } }];
const turn = (...messages: unknown[]) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 64,
  tools,
  messages: [{ role: "user", content: "Look at a." }, ...messages],
});
const broken = turn(call, { role: "user", content: "Go on." });

async function setUp({ storeUrl = "memory:", hashKey = randomBytes(32) as Uint8Array } = {}) {
  const provider = await startSimulatedProvider();
  const store = await openStore(storeUrl);
  const engine = await createEngine({ store, hashKey });
  const gateway = await startGateway({
    engine,
    port: 0,
    upstreams: [{ name: "anthropic", url: provider.url }],
    log: createLog({ level: "silent" }),
  });
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    await gateway.close(0);
    await engine.close();
    await store.close();
    await provider.close();
  };
  onTestFinished(close);
  const post = (body: Uint8Array | string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.baseUrl}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "k", ...headers },
      body: typeof body === "string" ? body : Buffer.from(body),
    });
  const turns = async () =>
    (await (await fetch(`${gateway.baseUrl}/api/turns`)).json()) as {
      turns: { outcome: string; body_sha256: object | null }[];
    };
  /** All that the engine has written, as text. */
  const stored = async (): Promise<string> => {
    await engine.close();
    const streams = await store.listStreams(ENGINE_OWNER);
    const events = await Promise.all(streams.map(({ stream }) => store.read(ENGINE_OWNER, stream)));
    return events.flat().reduce((text, { data }) => text + Buffer.from(data).toString(), "");
  };
  return { provider, gateway, engine, post, turns, stored, close };
}

test("GW-3 a legal turn arrives byte for byte and its usage is read from the copy", async () => {
  const { provider, post, turns } = await setUp();
  provider.script({ text: "Done." });
  const body = JSON.stringify(turn(), null, 3).replace("64", "6.4e1");
  const answer = await post(body);
  expect(answer.status).toBe(200);
  await answer.text();
  expect(Buffer.from(provider.requests[0]!.body).toString()).toBe(body);
  await until(async () =>
    expect((await turns()).turns).toMatchObject([{ outcome: "sent", usage: { output_tokens: expect.any(Number) } }]),
  );
});

test.each([
  ["plain", (body: string): Uint8Array => Buffer.from(body), {}],
  ["gzip", (body: string): Uint8Array => gzipSync(body), { "content-encoding": "gzip" }],
])("GW-3 a broken history is repaired on its way and accepted: %s", async (_, encode, headers) => {
  const { provider, post, turns } = await setUp();
  provider.script({ text: "Done." });
  const answer = await post(encode(JSON.stringify(broken)), headers);
  expect(answer.status).toBe(200);
  const arrived = provider.requests[0]!;
  expect(Buffer.from(arrived.body).toString()).toContain('"tool_use_id":"toolu_1"');
  await until(async () => expect((await turns()).turns).toMatchObject([{ outcome: "repaired", status: 200 }]));
});

test("GW-3 a repaired, captured or rejected request has the hashes of both sides in its record, and no other has", async () => {
  const { provider, gateway, post, turns, stored } = await setUp();
  const hashes = async () => (await turns()).turns.map((entry) => entry.body_sha256);
  const sha256 = (body: Uint8Array | string) => createHash("sha256").update(body).digest("hex");
  for (let nth = 0; nth < 4; nth++) provider.script({ text: "Done." });
  await (await post(JSON.stringify(turn()))).text();
  await until(async () => expect(await hashes()).toEqual([null]));
  await (await post(JSON.stringify(broken))).text();
  const repaired = { received: sha256(JSON.stringify(broken)), sent: sha256(provider.requests[1]!.body) };
  expect(repaired.sent).not.toBe(repaired.received);
  await until(async () => expect(await hashes()).toEqual([repaired, null]));
  const unknown = JSON.stringify(
    turn({ role: "assistant", content: [{ type: "from_the_future" }] }, { role: "user", content: "x" }),
  );
  const captured = { received: sha256(unknown), sent: sha256(unknown) };
  await (await post(unknown)).text();
  await until(async () => expect((await hashes())[0]).toEqual(captured));
  gateway.modes.set(null, "observe");
  const other = JSON.stringify(turn(call, { role: "user", content: "Stop." }));
  expect((await post(other)).status).toBe(400);
  await until(async () => expect((await hashes())[0]).toEqual({ received: sha256(other), sent: sha256(other) }));
  const kept = await stored();
  for (const hash of [...Object.values(repaired), captured.sent, sha256(other)]) expect(kept).not.toContain(hash);
});

test("GW-8 the same history reaches the provider as it is while the gateway only observes", async () => {
  const { provider, gateway, post, turns } = await setUp();
  gateway.modes.set(null, "observe");
  const answer = await post(JSON.stringify(broken));
  expect(answer.status).toBe(400);
  expect(Buffer.from(provider.requests[0]!.body).toString()).toBe(JSON.stringify(broken));
  expect(provider.requests).toHaveLength(1);
  await until(async () =>
    expect((await turns()).turns).toMatchObject([{ verdict: "unsafe", rejection: { rule: expect.any(String) } }]),
  );
});

test("GW-13 a session that the agent names is the same one after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kept = { storeUrl: `sqlite:${join(folder, "store.db")}`, hashKey: randomBytes(32) };
  const sessions: unknown[] = [];
  while (sessions.length < 2) {
    const { gateway, provider, post, turns, close } = await setUp(kept);
    provider.script({ text: "Done." });
    await (await post(JSON.stringify(turn()), { "x-claude-code-session-id": "one" })).text();
    await until(async () => expect((await turns()).turns).toHaveLength(1));
    const answer = await fetch(`${gateway.baseUrl}/api/sessions`);
    sessions.push(((await answer.json()) as { sessions: { session: string }[] }).sessions[0]?.session);
    await close();
  }
  expect(sessions[0]).toEqual(expect.any(String));
  expect(sessions[1]).toBe(sessions[0]);
});
