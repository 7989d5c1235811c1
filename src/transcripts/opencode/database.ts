import { copyFile, open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../lib/error.ts";
import { openTemporaryFolder, type TemporaryFolder } from "../../lib/temporary-folder.ts";
import { parseObject } from "../salvage.ts";
import type { RecordTally } from "../transcript.ts";
import type { MessageRow } from "./row.ts";

/** Only used where a crash left a log behind that must be played into a copy first. */
const copyBytesMax = 4 * 1024 * 1024 * 1024;
/** An agent holds the lock for milliseconds; waiting longer means that something else is wrong. */
const busyTimeoutMs = 2000;

export interface StoredRow {
  readonly id: string;
  readonly updatedAt: number;
}

/** The database of OpenCode, opened so that nothing in its folder is written: no lock file, no log, no page. */
export class OpenCodeDatabase {
  readonly #database: DatabaseSync;
  readonly #copy: TemporaryFolder | undefined;

  constructor(database: DatabaseSync, copy: TemporaryFolder | undefined) {
    this.#database = database;
    this.#copy = copy;
  }

  sessions(): readonly StoredRow[] {
    const rows = this.#database.prepare("SELECT id, time_updated FROM session ORDER BY time_created, id").all();
    return rows.map((row) => ({ id: String(row.id), updatedAt: Number(row.time_updated) }));
  }

  /** The messages of a session, oldest first. Rows that hold no JSON are counted in `tally` as lost. */
  *messages(session: string, tally: RecordTally): Generator<MessageRow> {
    const partsOf = this.#database.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
    const messages = this.#database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    );
    for (const message of messages.iterate(session)) {
      const parts = partsOf.all(String(message.id)).flatMap((row) => {
        const part = decode(row, tally);
        return part === undefined ? [] : [{ part, file: undefined }];
      });
      const info = decode(message, tally);
      if (info !== undefined) yield { info: { ...info, id: message.id }, parts };
    }
  }

  close(): void {
    this.#database.close();
    this.#copy?.remove();
  }
}

/** @throws HoldfastError `database_unreadable` where the file is no OpenCode database or is damaged */
export async function openDatabase(path: string): Promise<OpenCodeDatabase> {
  const log = await sizeOf(`${path}-wal`);
  const index = await sizeOf(`${path}-shm`);
  try {
    // With no log there is nothing to coordinate: the file is read as it lies there.
    if (log === 0) return await openAt(path, "immutable=1", undefined);
    // An agent is running: its own lock file is used, as SQLite demands, and nothing is added.
    if (index > 0) return await openAt(path, "mode=ro", undefined);
    return await openCopy(path, log);
  } catch (error) {
    const message = `${path} cannot be read as an OpenCode database: ${String(error)}`;
    throw new HoldfastError("database_unreadable", message, { cause: error });
  }
}

/** A crash left a log without its index. SQLite would write a new one beside the file, so it gets a copy to do so. */
async function openCopy(path: string, logBytes: number): Promise<OpenCodeDatabase> {
  const size = await sizeOf(path);
  if (size + logBytes > copyBytesMax) return await openAt(path, "immutable=1", undefined);
  const folder = openTemporaryFolder("scan");
  try {
    await copyFile(path, join(folder.path, "copy.db"));
    await copyFile(`${path}-wal`, join(folder.path, "copy.db-wal"));
    return await openAt(join(folder.path, "copy.db"), "mode=rw", folder);
  } catch (error) {
    folder.remove();
    throw error;
  }
}

async function openAt(path: string, mode: string, copy: TemporaryFolder | undefined): Promise<OpenCodeDatabase> {
  // Loaded only where there is a database: older Node versions print a warning when it is.
  const { DatabaseSync } = await import("node:sqlite");
  const url = pathToFileURL(path);
  url.search = mode;
  const database = new DatabaseSync(url, { readOnly: mode !== "mode=rw", timeout: busyTimeoutMs });
  return new OpenCodeDatabase(database, copy);
}

function decode(row: Record<string, unknown>, tally: RecordTally): Record<string, unknown> | undefined {
  tally.lines += 1;
  const value = parseObject(String(row.data));
  if (value !== undefined) {
    tally.good += 1;
    return value;
  }
  tally.lost += 1;
  tally.note({ line: null, kind: "unreadable", recovered: false, file: String(row.id) });
  return undefined;
}

async function sizeOf(path: string): Promise<number> {
  // Expected: most databases have no log beside them.
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Does the file begin as every SQLite database does? */
export async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString("latin1") === "SQLite format 3\0";
  } finally {
    await file.close();
  }
}
