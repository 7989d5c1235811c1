/** `holdfast start`: the gateway on loopback, until it is told to stop. */
import { statusPage } from "../dashboard/page.ts";
import type { BodyCapture } from "../engine/capture.ts";
import { type OpenEngine, openEngine } from "../engine/open-engine.ts";
import { type RunningGateway, startGateway } from "../gateway/serve.ts";
import { withoutPassword } from "../store/open-store.ts";
import type { Command, Invocation } from "./command.ts";
import { CONFIG_FLAGS, type Config, readConfig } from "./config.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { complain, write, writeJson } from "./output.ts";
import { describeStart, type StartRecord, toStartRecord } from "./start-record.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

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
  const opened = await openEngine(config.store, process.env, complain, await openCapture(config));
  const gateway = await listen(config, opened);
  const record = toStartRecord(gateway, { version: readVersion(), store: withoutPassword(config.store) });
  announce(record, invocation.isOn("json"));
  await stopOnSignal(gateway, opened);
  // After Ctrl-C an answer may still be on its way, and would keep the process alive.
  process.exit(EXIT.fine);
}

/** Loaded only where bodies are wanted: nothing else in a gateway needs it. */
async function openCapture({ capture_bodies: folder }: Config): Promise<BodyCapture | undefined> {
  if (folder === undefined) return undefined;
  const { openBodyCapture } = await import("../corpus/body-capture.ts");
  return openBodyCapture(folder);
}

async function listen(config: Config, opened: OpenEngine): Promise<RunningGateway> {
  try {
    return await startGateway({
      engine: opened.engine,
      host: config.host,
      port: config.port,
      mode: config.mode,
      upstreams: config.upstreams,
      ...(config.token !== undefined && { token: config.token }),
      ...(config.allowed_hosts && { allowedHosts: config.allowed_hosts }),
      ...(config.allowed_origins && { allowedOrigins: config.allowed_origins }),
      page: statusPage,
      version: readVersion(),
    });
  } catch (error) {
    await opened.close(); // Its worker would keep the process alive.
    throw error;
  }
}

function announce(record: StartRecord, asJson: boolean): void {
  if (asJson) writeJson(record);
  else write(describeStart(record));
}

/** SIGTERM drains; the gateway has its own limit for that. A second signal ends the process on the spot. */
async function stopOnSignal(gateway: RunningGateway, opened: OpenEngine): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of SIGNALS) process.once(name, resolve);
  });
  for (const name of SIGNALS) process.once(name, () => process.exit(EXIT.fine));
  await within(signal, gateway.close());
  await within(signal, opened.close());
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Behind Ctrl-C a person waits: each of the two steps gets this long. */
const INTERRUPT_MS_MAX = 400;

async function within(signal: NodeJS.Signals, work: Promise<void>): Promise<void> {
  if (signal === "SIGTERM") return await work;
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, INTERRUPT_MS_MAX))]);
}
