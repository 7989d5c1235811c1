import type { ListStreamsOptions, Owner, StreamSummary } from "../event-store.ts";
import { listRange } from "../limits.ts";
import { type Connection, prepare } from "./connection.ts";

/** SQLite compares text by UTF-8 bytes, which is the order of code points. */
const select = `
  select name, (select max(version) from events where stream_id = id) as version from streams
  where tenant = ? and principal = ? and name >= ? and name < ? and name > ?
  order by name limit ?`;

export function listStreams(
  connection: Connection,
  owner: Owner,
  options: ListStreamsOptions,
): readonly StreamSummary[] {
  const { from, below, after, limit } = listRange(options);
  const rows = prepare(connection, select).all(owner.tenant, owner.principal, from, below, after, limit);
  return rows.map((row) => ({ stream: String(row.name), version: Number(row.version) }));
}
