/**
 * One process at a time creates, migrates or moves aside a database. The lock is an exclusive transaction on an empty
 * database beside it: the system gives it back when its holder dies, so it is never left behind.
 */
import { storeError } from "../store-error.ts";
import { DatabaseSync } from "./database.ts";
import { isBusy } from "./sqlite-error.ts";

/** @param waitMs for another process that is opening it: that takes milliseconds, so whoever takes long is stuck */
export function withOpenLock<Result>(path: string, waitMs: number, whileLocked: () => Result): Result {
  const lock = acquire(path, waitMs);
  try {
    return whileLocked();
  } finally {
    lock?.close();
  }
}

export function lockPath(path: string): string {
  return `${path}.lock`;
}

function acquire(path: string, waitMs: number): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockPath(path));
    lock.exec(`pragma busy_timeout = ${waitMs}; begin exclusive`);
    return lock;
  } catch (cause) {
    lock?.close();
    const why = `another process is still opening it after ${waitMs} ms`;
    if (isBusy(cause)) throw storeError("store_locked", path, why, cause);
    // A folder that cannot be written: nothing in it can be created or moved either, so there is nothing to guard.
    return undefined;
  }
}
