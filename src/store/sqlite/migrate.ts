/** Brings a database to the schema of this version, once, however many processes start together. */
import { storeError } from "../store-error.ts";
import type { DatabaseSync } from "./database.ts";
import { migrations } from "./migrations.ts";

/** "Hold" in ASCII: how a database of ours is told from one of another program. */
export const applicationId = 0x486f6c64;

export function migrate(db: DatabaseSync, path: string): void {
  if (schemaVersion(db, path) === migrations.length) return;
  // WAL mode cannot be entered inside a transaction. The id goes first, so that it is in the file itself from the start.
  db.exec(`pragma application_id = ${applicationId}; pragma journal_mode = wal`);
  db.exec("begin immediate");
  try {
    for (const step of migrations.slice(schemaVersion(db, path))) db.exec(step);
    db.exec(`pragma user_version = ${migrations.length}; commit`);
  } catch (cause) {
    if (db.isTransaction) db.exec("rollback");
    throw cause;
  }
}

/** The number of steps that were applied. */
function schemaVersion(db: DatabaseSync, path: string): number {
  const version = Number(db.prepare("pragma user_version").get()?.user_version);
  if (version > migrations.length) {
    throw storeError("store_schema_newer", path, `its schema ${version} is newer than ${migrations.length}`);
  }
  return version;
}
