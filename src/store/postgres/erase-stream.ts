import type { Sql } from "postgres";
import type { Owner } from "../event-store.ts";
import { ERASED } from "../limits.ts";

/** The row that held the bytes is dead from here on; the server's vacuum takes it off the disk. */
export async function eraseStream(sql: Sql, { tenant, principal }: Owner, stream: string): Promise<number> {
  const { count } = await sql`
    update holdfast.events set data = '', data_crc32 = 0, data_json = null, quarantine_reason = ${ERASED}
    where stream_id = (
        select id from holdfast.streams where tenant = ${tenant} and principal = ${principal} and name = ${stream}
      )
      and quarantine_reason is distinct from ${ERASED}`;
  return count;
}
