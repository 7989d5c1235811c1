/** The engine of a process of its own, with its store and key. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isHoldfastError } from "../lib/error.ts";
import { locateDataFolder } from "../store/data-folder.ts";
import type { EventStore } from "../store/event-store.ts";
import { openHashKey } from "../store/hash-key.ts";
import { openStore } from "../store/open-store.ts";
import type { StoreOptions } from "../store/store-options.ts";
import type { BodyCapture } from "./capture.ts";
import { createEngine } from "./create-engine.ts";
import type { Engine } from "./engine.ts";

type Complain = (message: string) => void;

export interface OpenEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** @param complain is told in one sentence where the store or its key cannot be used and the engine goes on without */
export async function openEngine(
  storeUrl: string,
  env: NodeJS.ProcessEnv,
  complain: (message: string) => void,
  bodies?: BodyCapture,
  storeOptions: StoreOptions = {},
): Promise<OpenEngine> {
  const store = await openStoreOrMemory(storeUrl, storeOptions, complain);
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

/** Failures that may pass, or that lie in the machine and not in the setting: they must not cost anyone a turn (DG-74). */
const PASSING = new Set([
  "store_locked",
  "store_full",
  "store_read_only",
  "store_damaged",
  "store_unavailable",
  "hash_key_unusable",
]);

async function openStoreOrMemory(url: string, options: StoreOptions, complain: Complain): Promise<EventStore> {
  try {
    return await openStore(url, options);
  } catch (error) {
    complain(messageOf(error, "Going on without a store: what is learned now is forgotten at the end."));
    return await openStore("memory:");
  }
}

function openKeyOrFresh(storeUrl: string, env: NodeJS.ProcessEnv, complain: Complain): Uint8Array {
  const path = locateKey(storeUrl, env);
  try {
    if (path !== null) return openHashKey(path);
  } catch (error) {
    complain(messageOf(error, "Going on with a key of this process: sessions are not recognised after a restart."));
  }
  return randomBytes(32);
}

/** Beside an embedded store; on this machine for one that is elsewhere; nowhere for one that ends with the process. */
function locateKey(storeUrl: string, env: NodeJS.ProcessEnv): string | null {
  if (storeUrl.startsWith("sqlite:")) return `${storeUrl.slice("sqlite:".length)}.key`;
  return storeUrl === "memory:" ? null : join(locateDataFolder(env), "holdfast.key");
}

/** @throws the error itself where it lies in the setting and a person has to change something */
function messageOf(error: unknown, consequence: string): string {
  if (!isHoldfastError(error) || !PASSING.has(error.code)) throw error;
  return `${error.message} ${consequence}`;
}
