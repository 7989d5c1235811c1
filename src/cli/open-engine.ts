/** The engine of a process of its own, with its store and key. */
import { createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { isHoldfastError } from "../lib/error.ts";
import type { EventStore } from "../store/event-store.ts";
import { openStore } from "../store/open-store.ts";
import { loadHashKey } from "./hash-key.ts";
import { complain } from "./output.ts";

export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

export async function openEngine(storeUrl: string, env: NodeJS.ProcessEnv): Promise<OpenEngine> {
  const store = await openStoreOrMemory(storeUrl);
  const engine = await createEngine({ store, hashKey: loadHashKey(storeUrl, env) });
  return {
    engine,
    close: async () => {
      await engine.close();
      await store.close();
    },
  };
}

/** Failures that may pass, or that lie in the machine and not in the setting: they must not cost anyone a turn (DG-74). */
const PASSING = new Set(["store_locked", "store_full", "store_read_only", "store_damaged", "store_unavailable"]);

async function openStoreOrMemory(url: string): Promise<EventStore> {
  try {
    return await openStore(url);
  } catch (error) {
    if (!isHoldfastError(error) || !PASSING.has(error.code)) throw error;
    complain(`${error.message} Going on without a store: what is learned now is forgotten at the end.`);
    return await openStore("memory:");
  }
}
