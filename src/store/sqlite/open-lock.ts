/**
 * One process at a time creates, migrates or moves aside a database. The lock is an exclusive transaction on an empty
 * database beside it: the system gives it back when its holder dies, so it is never left behind.
 */
import { storeError } from "../store-error.ts";
import { DatabaseSync } from "./database.ts";
import { isBusy } from "./sqlite-error.ts";

/** Opening takes milliseconds, so whoever holds the lock this long is stuck. */
const lockWaitMs = 10_000;

export function withOpenLock<Result>(path: string, whileLocked: () => Result): Result {
  const lock = acquire(path);
  try {
    return whileLocked();
  } finally {
    lock?.close();
  }
}

export function lockPath(path: string): string {
  return `${path}.lock`;
}

function acquire(path: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockPath(path));
    lock.exec(`pragma busy_timeout = ${lockWaitMs}; begin exclusive`);
    return lock;
  } catch (cause) {
    lock?.close();
    if (isBusy(cause)) throw storeError("store_locked", path, "another process has been opening it for 10 s", cause);
    // A folder that cannot be written: nothing in it can be created or moved either, so there is nothing to guard.
    return undefined;
  }
}
