/** A store for a process that has to go on without one: what lies in the machine must not cost anyone a turn (DG-74). */
import { isHoldfastError } from "../lib/error.ts";
import type { EventStore } from "../store/event-store.ts";
import { openStore } from "../store/open-store.ts";
import type { StoreOptions } from "../store/store-options.ts";

export type Complain = (message: string) => void;

/** Failures that may pass, or that lie in the machine and not in the setting. */
const PASSING = new Set([
  "store_locked",
  "store_full",
  "store_read_only",
  "store_damaged",
  "store_unavailable",
  "hash_key_unusable",
]);

/** @throws HoldfastError where the URL names no store, or one that a person has to do something about */
export async function openStoreOrMemory(
  url: string,
  complain: Complain,
  options: StoreOptions = {},
): Promise<EventStore> {
  try {
    return await openStore(url, options);
  } catch (error) {
    complain(sayPassing(error, "Going on without a store: what is learned now is forgotten at the end."));
    return await openStore("memory:");
  }
}

/** @throws the error itself where it lies in the setting and a person has to change something */
export function sayPassing(error: unknown, consequence: string): string {
  if (!isHoldfastError(error) || !PASSING.has(error.code)) throw error;
  return `${error.message} ${consequence}`;
}
