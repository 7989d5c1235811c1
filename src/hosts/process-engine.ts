/**
 * The engine that all hosts of a process share, on the store that all processes of a machine share. It is opened when it
 * is first needed, once: agents load an extension anew for every session and every sub-agent.
 */
import type { BodyCapture } from "../engine/capture.ts";
import type { Engine } from "../engine/engine.ts";
import { type OpenEngine, openEngine } from "../engine/open-engine.ts";
import { type HostSettings, readHostSettings } from "./settings.ts";

export interface ProcessEngine {
  readonly engine: Engine;
  readonly settings: HostSettings;
  /** What a person should know of the store: one sentence each, empty where all is well. */
  readonly notes: readonly string[];
}

/** Two copies of the package may be loaded; they share what has this shape. */
const KEY = Symbol.for("holdfast.process-engine.1");

/**
 * The first turn of a person waits for the store at most this long; then this process goes on without one. Opening takes
 * 30 ms, on a machine that is busy with ten agents a second.
 */
const STORE_WAIT_MS = 2_000;

/** What the store has not answered when the agent ends keeps it for this long. */
const HOLD_PROCESS_MS = 1_000;

/** Never rejects. */
export function processEngine(): Promise<ProcessEngine> {
  const shared = globalThis as { [KEY]?: Promise<ProcessEngine> };
  shared[KEY] ??= openProcessEngine(process.env);
  return shared[KEY];
}

/** @param storeWaitMs for tests */
export async function openProcessEngine(env: NodeJS.ProcessEnv, storeWaitMs = STORE_WAIT_MS): Promise<ProcessEngine> {
  const settings = readHostSettings(env);
  const notes: string[] = [];
  const bodies = await openCapture(settings);
  // A store that is held is named as such, which takes less than our own patience.
  const patience = { openWaitMs: Math.floor(storeWaitMs / 2), holdProcessMs: HOLD_PROCESS_MS };
  const complain = (message: string) => void notes.push(message);
  const opening = openEngine(settings.storeUrl, env, complain, bodies, patience);
  const opened = await inTime(opening, storeWaitMs, notes);
  const { engine } = opened ?? (await openEngine("memory:", env, () => {}));
  return { engine, settings, notes };
}

/** Loaded only where bodies are wanted: nothing else in an agent needs it. */
async function openCapture({ captureBodies }: HostSettings): Promise<BodyCapture | undefined> {
  return captureBodies === null
    ? undefined
    : (await import("../corpus/body-capture.ts")).openBodyCapture(captureBodies);
}

async function inTime(opening: Promise<OpenEngine>, waitMs: number, notes: string[]): Promise<OpenEngine | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), waitMs);
  try {
    const opened = await Promise.race([opening, late.promise]);
    if (opened === null) {
      notes.push(`The store did not open within ${waitMs} ms. Going on without it until the agent starts again.`);
      void opening.then((open) => open.close()).catch(() => {});
    }
    return opened;
  } catch (error) {
    // Expected: a setting that names no store. The agent goes on; the sentence says what to change.
    notes.push(`${(error as Error).message} Going on without a store.`);
    return null;
  } finally {
    clearTimeout(timer);
  }
}
