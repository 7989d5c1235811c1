/** Sends requests and measures what a client sees of the answers. */
import { Agent, request as httpRequest } from "node:http";
import type { GatewayName, Stage } from "./processes.ts";

export interface Turn {
  readonly body: Buffer;
  readonly session: string;
}

export interface Seen {
  readonly totalMs: number;
  readonly firstByteMs: number;
  /** Between the upstream writing an event and the client having it; empty where there are no events. */
  readonly eventDelaysMs: readonly number[];
}

/** What one client sends, one after the other: no agent sends a turn before it has the answer to the one before. */
export type ClientTurns = readonly Turn[];

/** A request that takes longer hangs. */
const REQUEST_MS_MAX = 60_000;

export async function sendAll(
  stage: Stage,
  to: GatewayName | "direct",
  clients: readonly ClientTurns[],
): Promise<readonly Seen[]> {
  // Kept for these requests only: some close a connection that idles while others have their turn.
  const agent = new Agent({ keepAlive: true });
  const seen: Seen[] = [];
  const work = async (turns: ClientTurns) => {
    for (const turn of turns) seen.push(await send(stage, to, agent, turn));
  };
  await Promise.all(clients.map(work));
  agent.destroy();
  return seen;
}

function send(stage: Stage, to: GatewayName | "direct", agent: Agent, { body, session }: Turn): Promise<Seen> {
  const port = to === "direct" ? stage.upstream.port : stage.gateways[to].port;
  const path = `${to === "holdfast" ? "/anthropic" : ""}/v1/messages`;
  const headers = {
    "content-type": "application/json",
    "content-length": body.length,
    "x-api-key": "bench",
    "anthropic-version": "2023-06-01",
    "x-claude-code-session-id": session,
    ...(to === "portkey" && {
      "x-portkey-provider": "anthropic",
      "x-portkey-custom-host": `http://127.0.0.1:${stage.upstream.port}/v1`,
    }),
  };
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const outgoing = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers, agent });
    outgoing.setTimeout(REQUEST_MS_MAX, () => outgoing.destroy(new Error(`${to} hangs`)));
    outgoing.on("error", reject);
    outgoing.once("response", (response) => {
      if (response.statusCode !== 200) reject(new Error(`${to} answers ${response.statusCode}`));
      const chunks: Buffer[] = [];
      const arrivals: number[] = [];
      let firstByteMs = 0;
      response.on("data", (chunk: Buffer) => {
        if (chunks.length === 0) firstByteMs = performance.now() - start;
        chunks.push(chunk);
        arrivals.push(performance.timeOrigin + performance.now());
      });
      response.on("error", reject);
      response.once("end", () => {
        const totalMs = performance.now() - start;
        resolve({ totalMs, firstByteMs, eventDelaysMs: delaysOf(chunks, arrivals) });
      });
    });
    outgoing.end(body);
  });
}

function delaysOf(chunks: readonly Buffer[], arrivals: readonly number[]): number[] {
  return chunks.flatMap((chunk, nth) =>
    [...chunk.toString("latin1").matchAll(/"at":([\d.]+)/g)].map(([, at]) => arrivals[nth]! - Number(at)),
  );
}
