import { setTimeout as wait } from "node:timers/promises";
import type { AgentProcess } from "./agent-process.ts";
import type { Stage } from "./stage.ts";

/** Below the time that a slow answer takes. */
const LOOK_EVERY_MS = 20;

/** Ends the agent as Ctrl+C does, as soon as the answer to its next request has begun. */
export async function interruptInStream(
  stage: Stage,
  start: () => AgentProcess,
  signal: NodeJS.Signals,
): Promise<void> {
  const before = stage.front.exchanges.length;
  const agent = start();
  let running = true;
  const ended = agent.ended.finally(() => {
    running = false;
  });
  while (running && (stage.front.exchanges[before]?.status ?? null) === null) await wait(LOOK_EVERY_MS);
  agent.signal(signal);
  await ended;
}
