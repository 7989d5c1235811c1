/**
 * A worker in a process of its own: opens the store, starts one run per line of stdin and answers each with one line.
 * Run as: node plan-process.ts URL
 */
import { createInterface } from "node:readline";
import { startRun } from "../../src/engine/start-run.ts";
import { openStore } from "../../src/store/open-store.ts";
import { AGENTS } from "./authority-case.ts";
import type { Answer, Order } from "./plan-worker.ts";

const store = await openStore(process.argv[2]!);
process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
  const { principal, instructions, ...request } = JSON.parse(line) as Order;
  const agent = { ...AGENTS.plain, instructions };
  const started = await startRun({ store, owner: { tenant: "house", principal } }, { ...request, agent });
  const answer: Answer =
    started.kind === "tool_pin_mismatch"
      ? { change: started.kind, epoch: 0, prefixSha256: "" }
      : { change: started.change, epoch: started.plan.epoch, prefixSha256: started.plan.prefixSha256 };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await store.close();
