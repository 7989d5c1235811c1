import type { Owner } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";

/** The version is that of the last event: an append then writes one page less than with a version to keep beside it. */
const select = `
  select id, (select max(version) from events where stream_id = id) as version from streams
  where tenant = ? and principal = ? and name = ?`;

export function findStream(
  connection: Connection,
  owner: Owner,
  stream: string,
): { readonly id: number; readonly version: number } | undefined {
  const row = prepare(connection, select).get(owner.tenant, owner.principal, stream);
  return row === undefined ? undefined : { id: Number(row.id), version: Number(row.version) };
}
