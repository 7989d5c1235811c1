/** A gateway on a real SQLite store in front of the simulated provider, and an agent that talks through it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, Mode } from "../../src/engine/engine.ts";
import { createLog } from "../../src/gateway/log.ts";
import { type RunningGateway, startGateway } from "../../src/gateway/serve.ts";
import { openHashKey } from "../../src/store/hash-key.ts";
import { openStore } from "../../src/store/open-store.ts";
import {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from "../../src/testing/index.ts";
import type { Backend, Upstream } from "../../src/wire/api.ts";

export interface Session {
  readonly provider: SimulatedProvider;
  readonly storePath: string;
  readonly engine: () => Engine;
  /** Ends gateway, engine and store, and starts all three anew on the same files. */
  restart(): Promise<void>;
  post(body: object | string): Promise<{ status: number; json: Record<string, unknown> }>;
  /** What the gateway says of its turns, newest first. */
  turns(): Promise<readonly Record<string, unknown>[]>;
  /** The body of the newest request as the provider got it. */
  lastBody(): string;
}

export async function openSession(
  mode: Mode = "guard",
  options: SimulatedProviderOptions = {},
  backend: Backend = "anthropic",
): Promise<Session> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-acceptance-"));
  const provider = await startSimulatedProvider(options);
  const storePath = join(folder, "holdfast.db");
  let running = await run(storePath, folder, { name: "anthropic", url: provider.url, backend }, mode);
  onTestFinished(async () => {
    await running.stop();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    provider,
    storePath,
    engine: () => running.engine,
    async restart() {
      await running.stop();
      running = await run(storePath, folder, { name: "anthropic", url: provider.url, backend }, mode);
    },
    async post(body) {
      const answer = await fetch(`${running.gateway.baseUrl}/anthropic/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "planted-key" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    },
    async turns() {
      const answer = await fetch(`${running.gateway.baseUrl}/api/turns`);
      return ((await answer.json()) as { turns: Record<string, unknown>[] }).turns;
    },
    lastBody: () => Buffer.from(provider.requests.at(-1)!.body).toString(),
  };
}

async function run(storePath: string, folder: string, upstream: Upstream, mode: Mode) {
  const store = await openStore(`sqlite:${storePath}`);
  const engine = await createEngine({ store, hashKey: openHashKey(join(folder, "hash.key")) });
  const gateway: RunningGateway = await startGateway({
    engine,
    port: 0,
    mode,
    upstreams: [upstream],
    log: createLog({ level: "silent" }),
  });
  const stop = async () => {
    await gateway.close(0);
    await engine.close();
    await store.close().catch(() => {});
  };
  return { engine, gateway, stop };
}
