/** Brings a database to the schema of this version, once, however many machines start together. */
import type { Sql, TransactionSql } from "postgres";
import { storeError } from "../store-error.ts";
import { migrations } from "./migrations.ts";

/** "Hold" in ASCII: our number among the advisory locks of the database. */
const lockId = 0x486f6c64;

export async function migrate(sql: Sql, location: string): Promise<void> {
  if ((await schemaVersion(sql, location)) === migrations.length) return;
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${lockId})`;
    await transaction`create schema if not exists holdfast`;
    await transaction`create table if not exists holdfast.migrations (version int primary key)`;
    const version = await schemaVersion(transaction, location);
    for (const [index, step] of migrations.entries()) {
      if (index < version) continue;
      await transaction.unsafe(step);
      await transaction`insert into holdfast.migrations (version) values (${index + 1})`;
    }
  });
}

/** The number of steps that were applied. */
async function schemaVersion(sql: Sql | TransactionSql, location: string): Promise<number> {
  const [found] = await sql`select to_regclass('holdfast.migrations') is not null as exists`;
  if (found?.exists !== true) return 0;
  const [row] = await sql`select coalesce(max(version), 0) as version from holdfast.migrations`;
  const version = Number(row?.version);
  if (version > migrations.length) {
    throw storeError("store_schema_newer", location, `its schema ${version} is newer than ${migrations.length}`);
  }
  return version;
}
