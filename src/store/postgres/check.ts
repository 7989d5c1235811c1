import type { Sql } from "postgres";
import type { StoreCheck } from "../event-store.ts";
import { ERASED } from "../limits.ts";
import { migrations } from "./migrations.ts";

export async function check(sql: Sql, location: string): Promise<StoreCheck> {
  const [row] = await sql`
    select (select count(*) from holdfast.streams) as streams,
      (select count(*) from holdfast.events) as events,
      (select count(*) from holdfast.events where quarantine_reason <> ${ERASED}) as quarantined,
      pg_total_relation_size('holdfast.streams') + pg_total_relation_size('holdfast.events')
        + pg_total_relation_size('holdfast.counters') as bytes,
      current_setting('transaction_read_only') = 'on' as read_only`;
  return {
    kind: "postgres",
    location,
    schemaVersion: migrations.length,
    bytes: Number(row?.bytes),
    streams: Number(row?.streams),
    events: Number(row?.events),
    quarantinedEvents: Number(row?.quarantined),
    quarantinedFiles: [],
    // Rows are locked one stream at a time; no program holds the whole store.
    locked: false,
    problems: row?.read_only === true ? [`The store ${location} is read-only, perhaps a standby.`] : [],
  };
}
