/**
 * A worker in a process of its own: opens the store, starts one run per line of stdin and answers each with one line.
 * Run as: node plan-process.ts URL
 */
import { createInterface } from "node:readline";
import { startRun } from "../../src/engine/start-run.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openStore } from "../../src/store/open-store.ts";
import { AGENTS } from "./authority-case.ts";
import type { Answer, Order } from "./plan-worker.ts";

const NEWS = { source: "configured" as const, spec: { name: "news", version: "1" } };

const store = await openStore(process.argv[2]!);
process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
  const { principal, instructions, newTool = false, now, ...request } = JSON.parse(line) as Order;
  const tools = newTool ? [...AGENTS.plain.tools, NEWS] : AGENTS.plain.tools;
  const clock = now === undefined ? systemClock : { now: () => now };
  const stores = { store, owner: { tenant: "house", principal }, clock };
  const started = await startRun(stores, { ...request, agent: { ...AGENTS.plain, instructions, tools } });
  const answer: Answer =
    started.kind === "tool_pin_mismatch"
      ? { change: started.kind, epoch: 0, prefixSha256: "" }
      : { change: started.change, epoch: started.plan.epoch, prefixSha256: started.plan.prefixSha256 };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await store.close();
