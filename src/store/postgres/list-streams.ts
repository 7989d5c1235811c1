import type { Sql } from "postgres";
import type { ListStreamsOptions, Owner, StreamSummary } from "../event-store.ts";
import { listRange } from "../limits.ts";

export async function listStreams(
  sql: Sql,
  { tenant, principal }: Owner,
  options: ListStreamsOptions,
): Promise<readonly StreamSummary[]> {
  const { from, below, after, limit } = listRange(options);
  const rows = await sql`
    select name, version from holdfast.streams
    where tenant = ${tenant} and principal = ${principal} and name >= ${from} and name < ${below} and name > ${after}
    order by name limit ${limit}`;
  return rows.map((row) => ({ stream: String(row.name), version: Number(row.version) }));
}
