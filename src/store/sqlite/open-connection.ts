/** Opens a database file and sees that it is sound, ours, of this schema, and still the file that its path names. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StatementSync } from "node:sqlite";
import { storeError } from "../store-error.ts";
import { addCounts } from "./add-counts.ts";
import type { Connection } from "./connection.ts";
import { DatabaseSync } from "./database.ts";
import { findProblems } from "./find-problems.ts";
import { applicationId, migrate } from "./migrate.ts";
import { lockPath, withOpenLock } from "./open-lock.ts";
import { quarantineFile } from "./quarantine-file.ts";
import { damageCode, isDamage, toStoreError } from "./sqlite-error.ts";

/** While opening, another process may be migrating. */
const OPEN_WAIT_MS = 10_000;
/** One try for the write lock. Reads of the same worker wait behind it, so it is short (DG-74). */
export const writeTryMs = 20;
/** The write-ahead log shrinks to this after a checkpoint; one large batch must not hold the disk for ever. */
const logBytesMax = 64 * 1024 * 1024;

/** https://www.sqlite.org/fileformat.html#the_database_header */
const headerBytes = 100;
const applicationIdOffset = 68;

/**
 * Opens the database at `path`, creating it where there is none. A damaged one is moved aside, counted, and replaced.
 * @param suspect an operation has just met damage, so look at every page
 * @param openWaitMs for other processes; nothing else of this thread is done meanwhile, not even its end
 * @throws HoldfastError
 */
export function openConnection(path: string, suspect = false, openWaitMs = OPEN_WAIT_MS): Connection {
  try {
    if (isForeign(path)) throw storeError("store_foreign", path, "it is a file of another program");
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return withOpenLock(path, openWaitMs, () => {
      // A log without its database is what a deleted one leaves; SQLite would mix it into the new one.
      if (!existsSync(path)) quarantineFile(path);
      try {
        return openSound(path, suspect, openWaitMs);
      } catch (cause) {
        if (!isDamage(cause)) throw cause;
        quarantineFile(path);
        const fresh = openSound(path, false, openWaitMs);
        addCounts(fresh, [{ name: "store.file.quarantined", labels: {}, count: 1 }]);
        return fresh;
      }
    });
  } catch (cause) {
    throw toStoreError(path, cause);
  }
}

/** Whether the path now names another file, or none: someone deleted or replaced the database. */
export function isMoved(connection: Connection): boolean {
  return connection.inode !== inodeAt(connection.path);
}

function openSound(path: string, suspect: boolean, openWaitMs: number): Connection {
  createPrivate(path);
  const db = new DatabaseSync(path);
  try {
    db.exec(`pragma busy_timeout = ${openWaitMs}`);
    migrate(db, path);
    if (suspect) throwOnDamage(db);
    // FULL: an acknowledged event survives a power cut. The worker commits what waits together, which pays for it.
    // What is erased is overwritten with zeros, not only let go.
    db.exec(
      `pragma secure_delete = on; pragma synchronous = full; pragma journal_size_limit = ${logBytesMax}; pragma busy_timeout = ${writeTryMs}`,
    );
    return { path, db, inode: inodeAt(path), statements: new Map<string, StatementSync>() };
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** SQLite gives its log the mode of the database, so creating the file first keeps all of it from other users. */
function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

function throwOnDamage(db: DatabaseSync): void {
  const [problem] = findProblems(db);
  if (problem !== undefined) throw Object.assign(new Error(problem), { errcode: damageCode });
}

function inodeAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * Whether the file is not a store of ours, so that it is neither migrated nor moved aside: a text file, or another
 * program's database, that someone named by mistake. Zeros, or anything at a path where our lock lies, is damage.
 */
export function isForeign(path: string): boolean {
  const header = readHeader(path);
  if (header.every((byte) => byte === 0) || header.readUInt32BE(applicationIdOffset) === applicationId) return false;
  const isDatabase = header.toString("latin1").startsWith("SQLite format 3\0");
  return isDatabase || !existsSync(lockPath(path));
}

/** Zeros where there is no file, or a shorter one. */
function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  if (!existsSync(path)) return header;
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, headerBytes, 0);
  } finally {
    closeSync(file);
  }
  return header;
}
