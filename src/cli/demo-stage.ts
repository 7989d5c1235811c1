/** Where the demo plays: a simulated provider and a gateway in front of it, both on free loopback ports. */

import { openEngine } from "../engine/open-engine.ts";
import { createLog } from "../gateway/log.ts";
import { startGateway } from "../gateway/serve.ts";
import type { TurnEntry } from "../gateway/turn-log.ts";
import { startSimulatedProvider } from "../testing/simulated-provider.ts";

/** One request as it left the agent, and as it came to the provider. */
export interface Exchange {
  readonly sent: Buffer;
  readonly arrived: Buffer;
  readonly status: number;
  readonly answer: Message & { readonly error?: { readonly message: string } };
  /** Prompt tokens by where they came from; null for a request that was refused. */
  readonly metered: { readonly read: number; readonly written: number; readonly uncached: number } | null;
}

export interface Message {
  readonly role: string;
  readonly content: readonly Readonly<Record<string, unknown>>[];
}

export interface Stage {
  /** What the provider answers to the next request that it accepts. */
  prepare(answer: {
    readonly text?: string;
    readonly toolCalls?: readonly { readonly name: string; readonly input: object }[];
  }): void;
  send(way: "direct" | "gateway", body: object): Promise<Exchange>;
  /** What the gateway says of the last request that it passed on. */
  lastTurn(): Promise<TurnEntry>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const provider = await startSimulatedProvider();
  const opened = await openEngine("memory:", process.env, () => {});
  const gateway = await startGateway({
    engine: opened.engine,
    port: 0,
    upstreams: [{ name: "anthropic", url: provider.url }],
    log: createLog({ level: "silent" }),
  });
  let passed = 0;
  return {
    prepare: ({ text, toolCalls }) => {
      provider.script({
        ...(text !== undefined && { text }),
        ...(toolCalls && { toolCalls: toolCalls.map(({ name, input }) => ({ name, input: { ...input } })) }),
      });
    },
    send: async (way, body) => {
      const sent = Buffer.from(JSON.stringify(body));
      const url = way === "direct" ? provider.url : `${gateway.baseUrl}/anthropic`;
      if (way === "gateway") passed += 1;
      const response = await fetch(`${url}/v1/messages`, { method: "POST", headers: HEADERS, body: sent });
      const answer = (await response.json()) as Exchange["answer"];
      const captured = provider.requests.at(-1)!;
      return { sent, arrived: captured.body, status: response.status, answer, metered: captured.metered };
    },
    lastTurn: () => waitForTurn(gateway.baseUrl, passed),
    close: async () => {
      await gateway.close();
      await opened.close();
      await provider.close();
    },
  };
}

const HEADERS = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "demo" };

/** The gateway writes a turn down when its answer has left, which may be a moment after the agent has read it. */
async function waitForTurn(gatewayUrl: string, count: number): Promise<TurnEntry> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(`${gatewayUrl}/api/turns`);
    const { turns } = (await answer.json()) as { readonly turns: readonly TurnEntry[] };
    if (turns.length >= count) return turns[0]!;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the gateway wrote down fewer than ${count} turns within a second`);
}
