import { statSync } from "node:fs";
import type { HoldfastError } from "../../lib/error.ts";
import type { StoreCheck } from "../event-store.ts";
import { ERASED } from "../limits.ts";
import { type Connection, prepare } from "./connection.ts";
import { findProblems } from "./find-problems.ts";
import { migrations } from "./migrations.ts";
import { quarantinedFiles } from "./quarantine-file.ts";
import { toStoreError } from "./sqlite-error.ts";

const sizes = `
  select (select count(*) from streams) as streams,
    (select count(*) from events) as events,
    (select count(*) from events where quarantine_reason <> '${ERASED}') as quarantined`;

export function check(connection: Connection): StoreCheck {
  const { path, db } = connection;
  const writeError = tryToWrite(connection);
  const locked = writeError?.code === "store_locked";
  const row = prepare(connection, sizes).get();
  return {
    kind: "sqlite",
    location: path,
    schemaVersion: migrations.length,
    bytes: sizeOf(path) + sizeOf(`${path}-wal`),
    streams: Number(row?.streams),
    events: Number(row?.events),
    quarantinedEvents: Number(row?.quarantined),
    quarantinedFiles: quarantinedFiles(path),
    locked,
    problems: [...findProblems(db), ...(writeError === undefined || locked ? [] : [writeError.message])],
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Why a write would fail now. */
function tryToWrite({ path, db }: Connection): HoldfastError | undefined {
  try {
    db.exec(`begin immediate; pragma user_version = ${migrations.length}`);
    return undefined;
  } catch (cause) {
    return toStoreError(path, cause);
  } finally {
    if (db.isTransaction) db.exec("rollback");
  }
}
