/**
 * Client → tap → gateway → tap → simulated provider, all on loopback and on free ports. The client's address stays the
 * same while the gateway restarts behind it.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { createEngine } from "../../../src/engine/create-engine.ts";
import type { RequestRecord } from "../../../src/engine/engine.ts";
import { createLog } from "../../../src/gateway/log.ts";
import { startGateway } from "../../../src/gateway/serve.ts";
import { openHashKey } from "../../../src/store/hash-key.ts";
import { openStore } from "../../../src/store/open-store.ts";
import {
  type CapturedRequest,
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from "../../../src/testing/index.ts";
import { recordDecisions } from "./recorded-decisions.ts";
import { headerValue, startTap, TAG_HEADER, type Tap } from "./tap.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Where a client sends to. */
export interface Servers {
  /** As the Anthropic SDK takes it: `/v1` is added by the client. */
  readonly anthropicUrl: string;
  readonly openaiUrl: string;
}

export interface Stage extends Servers {
  readonly provider: SimulatedProvider;
  /** Where the client's requests come in. */
  readonly front: Tap;
  /** What goes on to the provider. */
  readonly back: Tap;
  /** What the gate decided, by the tag of the request. */
  readonly decisions: ReadonlyMap<string, RequestRecord>;
  /** Where the gateway keeps its data; its key lies beside it. Null where there is no gateway. */
  readonly storeFile: string | null;
  /** What arrived at the provider with this tag: two where a rejection was answered with a repair. */
  arrivals(tag: string): readonly CapturedRequest[];
  /** Ends the gateway with its engine and store, and starts another one on the same files. */
  restartGateway(): Promise<void>;
}

export interface GatewayStage extends Stage {
  /** Keeps the gateway's database for itself, as a backup program may. Returns what gives it back. */
  lockStore(): () => void;
}

/** Everything ends with the test. */
export async function setStage(options: SimulatedProviderOptions = {}): Promise<GatewayStage> {
  const provider = await startSimulatedProvider(options);
  const back = await startTap(() => provider.url);
  const decisions = new Map<string, RequestRecord>();
  const storeFile = join(temporaryFolder(), "holdfast.db");
  const files = { storeUrl: `sqlite:${storeFile}`, hashKey: openHashKey(`${storeFile}.key`) };
  let gateway = await openGateway(files, back.url, decisions);
  const front = await startTap(() => gateway.url);
  onTestFinished(async () => {
    await front.close();
    await gateway.close();
    await back.close();
    await provider.close();
  });
  return {
    provider,
    front,
    back,
    decisions,
    storeFile,
    anthropicUrl: `${front.url}/anthropic`,
    openaiUrl: `${front.url}/openai/v1`,
    arrivals: (tag) => provider.requests.filter(({ rawHeaders }) => headerValue(rawHeaders, TAG_HEADER) === tag),
    async restartGateway() {
      await gateway.close();
      gateway = await openGateway(files, back.url, decisions);
    },
    lockStore() {
      const other = new DatabaseSync(storeFile);
      other.exec("BEGIN EXCLUSIVE");
      return () => other.close();
    },
  };
}

async function openGateway(
  { storeUrl, hashKey }: { storeUrl: string; hashKey: Uint8Array },
  upstreamUrl: string,
  decisions: Map<string, RequestRecord>,
) {
  const store = await openStore(storeUrl);
  const engine = await createEngine({ store, hashKey });
  const gateway = await startGateway({
    engine: recordDecisions(engine, decisions),
    port: 0,
    upstreams: [
      { name: "anthropic", url: upstreamUrl },
      { name: "openai", url: upstreamUrl },
    ],
    log: createLog({ level: "silent" }),
  });
  return {
    url: gateway.baseUrl,
    async close() {
      await gateway.close(0);
      await engine.close();
      await store.close();
    },
  };
}
