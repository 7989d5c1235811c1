/** Acceptance 3 of the proposal, for what the encoders of Pi and OMP write: the gate on changes no byte of what it admits. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CorpusFolder, type StoredFixture } from "../../src/corpus/corpus-folder.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Mode } from "../../src/engine/engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { startGateway } from "../../src/gateway/serve.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";

const corpus = new CorpusFolder(join(import.meta.dirname, "../corpus/refusals"));
const fixtures = corpus.listIds().map((id) => corpus.readFixture(id));

const PATHS: Readonly<Record<string, string>> = {
  "anthropic-messages": "/v1/messages",
  "openai-completions": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "openai-codex-responses": "/codex/responses",
};

const GROUPS = Object.keys(PATHS).flatMap((api) => ["pi", "omp"].map((host) => ({ api, host })));

test.each(GROUPS)(
  "DG-5 acceptance 3: $host on $api: what is admitted leaves as it does with the gate off",
  async (group) => {
    const own = fixtures.filter(({ id }) => id.startsWith(`${group.host}/${group.api}/`));
    const admitted = own.filter(({ fixture }) => fixture!.verdict !== "unsafe");
    expect(admitted.length).toBeGreaterThan(0);
    const [on, off] = [await bodiesBehind("guard", admitted), await bodiesBehind("observe", admitted)];
    const given = admitted.map(({ bytes }) => Buffer.from(bytes));
    expect(on).toEqual(off);
    expect(on).toEqual(given);
  },
);

/** What a server gets of these bodies from a gateway in this mode. */
async function bodiesBehind(mode: Mode, requests: readonly StoredFixture[]): Promise<readonly Buffer[]> {
  const received: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push(Buffer.concat(parts));
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  onTestFinished(() => engine.close());
  const { api, backend } = requests[0]!.fixture!;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstreams = [{ name: "provider", url, api, backend }];
  const gateway = await startGateway({ engine, port: 0, mode, upstreams, log: createLog({ level: "silent" }) });
  onTestFinished(() => gateway.close(0));
  for (const { bytes } of requests) {
    const target = `${gateway.baseUrl}/provider${PATHS[api]}`;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body: bytes });
    expect(answer.status).toBe(200);
  }
  return received;
}
