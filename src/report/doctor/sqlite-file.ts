/** An embedded store as a file: looked at without changing it, moved aside where it is damaged, made small. */
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { findProblems } from "../../store/sqlite/find-problems.ts";
import { isForeign, openConnection } from "../../store/sqlite/open-connection.ts";
import { quarantinedFiles } from "../../store/sqlite/quarantine-file.ts";
import { isDamage, toStoreError } from "../../store/sqlite/sqlite-error.ts";

/** What SQLite found damaged; empty where the file is sound, is not ours, or cannot be looked at now. */
export function findFileDamage(path: string): readonly string[] {
  if (!existsSync(path) || isForeign(path)) return [];
  let db: DatabaseSync | undefined;
  try {
    // Opening the store would move a damaged file aside, and looking at it must not.
    db = new DatabaseSync(path, { readOnly: true });
    return findProblems(db);
  } catch (cause) {
    // Anything else (locked, no permission) is said by the store itself when it is opened.
    return isDamage(cause) ? [(cause as Error).message] : [];
  } finally {
    db?.close();
  }
}

/**
 * Puts a new database in the place of a damaged one. Returns where the old one lies now; null if it was found sound.
 * @throws HoldfastError
 */
export function moveDamagedAside(path: string): string | null {
  const before = quarantinedFiles(path);
  openConnection(path, true).db.close();
  return quarantinedFiles(path).find((file) => !before.includes(file)) ?? null;
}

/** A gateway writes for milliseconds; whoever holds the lock longer is not waited for. */
const LOCK_WAIT_MS = 2_000;

/**
 * Writes the log into the database and gives free pages back.
 * @throws HoldfastError for example `store_locked`: nothing is changed then
 */
export function compact(path: string): void {
  const { db } = openConnection(path);
  try {
    db.exec(`pragma busy_timeout = ${LOCK_WAIT_MS}; vacuum; pragma wal_checkpoint(truncate)`);
  } catch (cause) {
    throw toStoreError(path, cause);
  } finally {
    db.close();
  }
}

/** Bytes of the database and its log. */
export function sizeOfFile(path: string): number {
  return [path, `${path}-wal`].reduce((sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0), 0);
}
