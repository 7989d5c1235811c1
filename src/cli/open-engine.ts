/** The engine of a process of its own, with its store and key. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createEngine } from "../engine/create-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { isHoldfastError } from "../lib/error.ts";
import type { EventStore } from "../store/event-store.ts";
import { openHashKey } from "../store/hash-key.ts";
import { openStore } from "../store/open-store.ts";
import { locateDataFolder } from "./data-dir.ts";
import { complain } from "./output.ts";

export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

export async function openEngine(storeUrl: string, env: NodeJS.ProcessEnv): Promise<OpenEngine> {
  const store = await openStoreOrMemory(storeUrl);
  const engine = await createEngine({ store, hashKey: openKeyOrFresh(storeUrl, env) });
  return {
    engine,
    close: async () => {
      await engine.close();
      await store.close();
    },
  };
}

/** Failures that may pass, or that lie in the machine and not in the setting: they must not cost anyone a turn (DG-74). */
const PASSING = new Set([
  "store_locked",
  "store_full",
  "store_read_only",
  "store_damaged",
  "store_unavailable",
  "hash_key_unusable",
]);

async function openStoreOrMemory(url: string): Promise<EventStore> {
  try {
    return await openStore(url);
  } catch (error) {
    complainOrThrow(error, "Going on without a store: what is learned now is forgotten at the end.");
    return await openStore("memory:");
  }
}

function openKeyOrFresh(storeUrl: string, env: NodeJS.ProcessEnv): Uint8Array {
  const path = locateKey(storeUrl, env);
  try {
    if (path !== null) return openHashKey(path);
  } catch (error) {
    complainOrThrow(error, "Going on with a key of this process: sessions are not recognised after a restart.");
  }
  return randomBytes(32);
}

/** Beside an embedded store; on this machine for one that is elsewhere; nowhere for one that ends with the process. */
function locateKey(storeUrl: string, env: NodeJS.ProcessEnv): string | null {
  if (storeUrl.startsWith("sqlite:")) return `${storeUrl.slice("sqlite:".length)}.key`;
  return storeUrl === "memory:" ? null : join(locateDataFolder(env), "holdfast.key");
}

function complainOrThrow(error: unknown, consequence: string): void {
  if (!isHoldfastError(error) || !PASSING.has(error.code)) throw error;
  complain(`${error.message} ${consequence}`);
}
