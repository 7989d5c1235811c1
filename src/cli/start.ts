/** `holdfast start`: the gateway on loopback, until it is told to stop. */
import { openStoreOrMemory } from "../engine/open-store-or-memory.ts";
import type { Command, Invocation } from "./command.ts";
import { CONFIG_FLAGS, readConfig } from "./config.ts";
import type { ExitCode } from "./exit.ts";
import { complain } from "./output.ts";
import { usageError } from "./usage-error.ts";

const CONFIG = ["config", "port", "host", "token", "store", "upstream", "mode", "capture-bodies"] as const;

export const start: Command = {
  name: "start",
  operands: "",
  about:
    "Starts the gateway with its status page, and prints the base URL of each API and the lines to paste for each agent. " +
    "Logs go to stderr. Ctrl-C ends it at once, SIGTERM lets answers end for at most 30 seconds.",
  flags: [
    ...CONFIG.map((flag) => CONFIG_FLAGS[flag]),
    { name: "json", about: "print what was started as one JSON document" },
  ],
  run: runStart,
};

async function runStart(invocation: Invocation): Promise<ExitCode> {
  if (invocation.operands.length > 0)
    throw usageError(`start takes no operand, but "${invocation.operands[0]}" is given`);
  const config = await readConfig(invocation, CONFIG, process.env);
  const [store, { runGateway }] = await Promise.all([openStoreOrMemory(config.store, complain), loadGateway()]);
  return await runGateway(store, config, invocation.isOn("json"));
}

/** The thread of the store takes as long to start as a gateway to load. It goes first, so that both happen at once. */
async function loadGateway(): Promise<typeof import("./gateway-process.ts")> {
  await new Promise((resolve) => setImmediate(resolve));
  return await import("./gateway-process.ts");
}
