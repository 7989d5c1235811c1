/** A gateway in front of a raw upstream; both end with the test. */
import { onTestFinished } from "vitest";
import { createLog } from "../../src/gateway/log.ts";
import { type GatewayOptions, type RunningGateway, startGateway } from "../../src/gateway/serve.ts";
import { createPassThroughEngine, type Overrides, type PassThroughEngine } from "./pass-through-engine.ts";
import { type RawAnswer, type RawUpstream, startRawUpstream } from "./raw-upstream.ts";

export interface Setup {
  readonly gateway: RunningGateway;
  readonly upstream: RawUpstream;
  readonly engine: PassThroughEngine;
  /** All log lines. */
  logged(): string;
}

export interface SetupOptions extends Omit<Partial<GatewayOptions>, "engine"> {
  readonly answer?: RawAnswer;
  readonly engine?: Overrides;
}

export async function setUp({ answer, engine: overrides, ...options }: SetupOptions = {}): Promise<Setup> {
  const upstream = await startRawUpstream(answer);
  const engine = createPassThroughEngine(overrides);
  const lines: string[] = [];
  const gateway = await startGateway({
    engine,
    port: 0,
    upstreams: [
      { name: "anthropic", url: upstream.url },
      { name: "local", url: `${upstream.url}/base/v1/` },
    ],
    log: createLog({ destination: { write: (line) => void lines.push(line) } }),
    ...options,
  });
  onTestFinished(async () => {
    await upstream.close();
    await gateway.close();
  });
  return { gateway, upstream, engine, logged: () => lines.join("") };
}
