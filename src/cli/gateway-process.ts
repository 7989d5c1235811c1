/** The gateway of `holdfast start`, from its store to its end. */
import { statusPage } from "../dashboard/page.ts";
import type { BodyCapture } from "../engine/capture.ts";
import { type OpenEngine, openEngineOn } from "../engine/open-engine.ts";
import { type RunningGateway, startGateway } from "../gateway/serve.ts";
import type { EventStore } from "../store/event-store.ts";
import { withoutPassword } from "../store/store-url.ts";
import type { Config } from "./config.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { complain, write, writeJson } from "./output.ts";
import { describeStart, type StartRecord, toStartRecord } from "./start-record.ts";
import { readVersion } from "./version.ts";

/** Listens, says so, and returns when a signal has ended it. */
export async function runGateway(store: EventStore, config: Config, asJson: boolean): Promise<ExitCode> {
  const opened = await openOn(store, config);
  const gateway = await listen(config, opened);
  announce(toStartRecord(gateway, { version: readVersion(), store: withoutPassword(config.store) }), asJson);
  await stopOnSignal(gateway, opened);
  // After Ctrl-C an answer may still be on its way, and would keep the process alive.
  process.exit(EXIT.fine);
}

async function openOn(store: EventStore, config: Config): Promise<OpenEngine> {
  try {
    return await openEngineOn(store, config.store, process.env, complain, await openCapture(config));
  } catch (error) {
    await store.close(); // Its connections would keep the process alive.
    throw error;
  }
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
