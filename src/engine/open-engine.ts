/** The engine of a process of its own, with its store and key. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { locateDataFolder } from "../store/data-folder.ts";
import type { EventStore } from "../store/event-store.ts";
import { openHashKey } from "../store/hash-key.ts";
import type { StoreOptions } from "../store/store-options.ts";
import type { BodyCapture } from "./capture.ts";
import { createEngine } from "./create-engine.ts";
import type { Engine } from "./engine.ts";
import { type Complain, openStoreOrMemory, sayPassing } from "./open-store-or-memory.ts";

export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** @param complain is told in one sentence where the store or its key cannot be used and the engine goes on without */
export async function openEngine(
  storeUrl: string,
  env: NodeJS.ProcessEnv,
  complain: Complain,
  bodies?: BodyCapture,
  storeOptions: StoreOptions = {},
): Promise<OpenEngine> {
  const store = await openStoreOrMemory(storeUrl, complain, storeOptions);
  return await openEngineOn(store, storeUrl, env, complain, bodies);
}

/** @param store is closed with the engine; it may be another one than the URL says, where that could not be opened */
export async function openEngineOn(
  store: EventStore,
  storeUrl: string,
  env: NodeJS.ProcessEnv,
  complain: Complain,
  bodies?: BodyCapture,
): Promise<OpenEngine> {
  const engine = await createEngine({
    store,
    hashKey: openKeyOrFresh(storeUrl, env, complain),
    ...(bodies && { bodies }),
  });
  return {
    engine,
    close: async () => {
      await engine.close();
      await store.close();
    },
  };
}

function openKeyOrFresh(storeUrl: string, env: NodeJS.ProcessEnv, complain: Complain): Uint8Array {
  const path = locateKey(storeUrl, env);
  try {
    if (path !== null) return openHashKey(path);
  } catch (error) {
    complain(sayPassing(error, "Going on with a key of this process: sessions are not recognised after a restart."));
  }
  return randomBytes(32);
}

/** Beside an embedded store; on this machine for one that is elsewhere; nowhere for one that ends with the process. */
function locateKey(storeUrl: string, env: NodeJS.ProcessEnv): string | null {
  if (storeUrl.startsWith("sqlite:")) return `${storeUrl.slice("sqlite:".length)}.key`;
  return storeUrl === "memory:" ? null : join(locateDataFolder(env), "holdfast.key");
}
