import type { Sql } from "postgres";
import type { Owner, StoredEvent } from "../event-store.ts";
import { quarantinePosition } from "./quarantine.ts";
import { toStoredEvent } from "./stored-event.ts";

export async function read(
  sql: Sql,
  { tenant, principal }: Owner,
  stream: string,
  fromVersion: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await sql`
    select events.version, position, type, data, data_crc32, recorded_at
    from holdfast.events join holdfast.streams on streams.id = stream_id
    where tenant = ${tenant} and principal = ${principal} and name = ${stream}
      and events.version >= ${fromVersion} and quarantine_reason is null
    order by events.version limit ${limit}`;
  const events: StoredEvent[] = [];
  for (const row of rows) {
    const event = toStoredEvent(stream, row);
    if (event === undefined) await quarantinePosition(sql, Number(row.position));
    else events.push(event);
  }
  return events;
}
