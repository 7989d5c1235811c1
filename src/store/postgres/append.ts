import { crc32 } from "node:zlib";
import type { Sql } from "postgres";
import type { AppendResult, NewEvent, Owner } from "../event-store.ts";
import { toJsonIndex } from "./json-index.ts";

/**
 * One statement, one round trip. Whoever moves the stream's version first wins; the others wait for that commit and then
 * find nothing to move. No statement fails on a conflict, so no connection is lost to one.
 */
export async function append(
  sql: Sql,
  owner: Owner,
  stream: string,
  expectedVersion: number,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  const { tenant, principal } = owner;
  const version = expectedVersion + events.length;
  const moved =
    expectedVersion === 0
      ? sql`
          insert into holdfast.streams (tenant, principal, name, version)
          values (${tenant}, ${principal}, ${stream}, ${version})
          on conflict (tenant, principal, name) do nothing
          returning id`
      : sql`
          update holdfast.streams set version = ${version}
          where tenant = ${tenant} and principal = ${principal} and name = ${stream} and version = ${expectedVersion}
          returning id`;
  const [row] = await sql`
    with moved as (${moved}),
    added as (
      insert into holdfast.events (stream_id, version, type, data, data_crc32, data_json)
      select moved.id, ${expectedVersion}::bigint + added.place, added.type, decode(added.data, 'hex'), added.crc32, added.json::jsonb
      from moved, unnest(
        ${events.map(({ type }) => type)}::text[],
        ${events.map(({ data }) => toHex(data))}::text[],
        ${events.map(({ data }) => crc32(data))}::bigint[],
        ${events.map(({ data }) => toJsonIndex(data))}::text[]
      ) with ordinality as added (type, data, crc32, json, place)
      order by added.place
      returning position
    )
    select max(position) as position from added`;
  if (row?.position != null) return { kind: "appended", version, position: Number(row.position) };
  return { kind: "conflict", version: await currentVersion(sql, owner, stream) };
}

async function currentVersion(sql: Sql, { tenant, principal }: Owner, stream: string): Promise<number> {
  const [row] = await sql`
    select version from holdfast.streams
    where tenant = ${tenant} and principal = ${principal} and name = ${stream}`;
  return Number(row?.version ?? 0);
}

/** The driver has no arrays of bytes, and would send each as hexadecimal anyway. */
function toHex(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("hex");
}
