import type { Sql } from "postgres";
import type { Owner, StoredEvent } from "../event-store.ts";
import { quarantinePosition } from "./quarantine.ts";
import { toStoredEvent } from "./stored-event.ts";

export async function latest(
  sql: Sql,
  { tenant, principal }: Owner,
  stream: string,
  type: string,
): Promise<StoredEvent | undefined> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const [row] = await sql`
      select version, position, type, data, data_crc32, recorded_at from holdfast.events
      where stream_id = (
          select id from holdfast.streams where tenant = ${tenant} and principal = ${principal} and name = ${stream}
        )
        and type = ${type} and version < ${below} and quarantine_reason is null
      order by version desc limit 1`;
    if (row === undefined) return undefined;
    const event = toStoredEvent(stream, row);
    if (event !== undefined) return event;
    await quarantinePosition(sql, Number(row.position));
    below = Number(row.version);
  }
}
