import type { Owner } from "../event-store.ts";
import { ERASED } from "../limits.ts";
import { type Connection, prepare } from "./connection.ts";

const update = `
  update events set data = x'', data_crc32 = 0, quarantine_reason = '${ERASED}'
  where stream_id = (select id from streams where tenant = ? and principal = ? and name = ?)
    and quarantine_reason is not '${ERASED}'`;

/** SQLite overwrites the bytes with zeros (`secure_delete`); they leave the log when it is written back. */
export function eraseStream(connection: Connection, { tenant, principal }: Owner, stream: string): number {
  return Number(prepare(connection, update).run(tenant, principal, stream).changes);
}
