import type { Sql } from "postgres";
import type { Owner } from "../event-store.ts";

export async function quarantine(
  sql: Sql,
  { tenant, principal }: Owner,
  stream: string,
  version: number,
  reason: string,
): Promise<void> {
  await sql`
    update holdfast.events set quarantine_reason = ${reason}
    where stream_id = (
        select id from holdfast.streams where tenant = ${tenant} and principal = ${principal} and name = ${stream}
      )
      and version = ${version} and quarantine_reason is null`;
}

/** For an event whose bytes are not those that were written. */
export async function quarantinePosition(sql: Sql, position: number): Promise<void> {
  try {
    await sql`update holdfast.events set quarantine_reason = 'bytes_changed' where position = ${position}`;
  } catch {
    // Full or read-only: this reader leaves the event out anyway, and the next one finds it again.
  }
}
