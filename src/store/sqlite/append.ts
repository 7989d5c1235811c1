import { crc32 } from "node:zlib";
import type { AppendResult, NewEvent, Owner } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";
import { findStream } from "./find-stream.ts";

const insertStream = "insert into streams (tenant, principal, name) values (?, ?, ?)";
const insertEvent =
  "insert into events (stream_id, version, type, data, data_crc32, recorded_at) values (?, ?, ?, ?, ?, ?)";

/** Runs inside the caller's write transaction, so that nothing moves between the look and the insert. */
export function append(
  connection: Connection,
  owner: Owner,
  stream: string,
  expectedVersion: number,
  events: readonly NewEvent[],
): AppendResult {
  const found = findStream(connection, owner, stream);
  if ((found?.version ?? 0) !== expectedVersion) return { kind: "conflict", version: found?.version ?? 0 };

  const id = found?.id ?? createStream(connection, owner, stream);

  let position = 0;
  for (const [index, { type, data }] of events.entries()) {
    const row = [id, expectedVersion + 1 + index, type, data, crc32(data), Date.now()];
    position = Number(prepare(connection, insertEvent).run(...row).lastInsertRowid);
  }
  return { kind: "appended", version: expectedVersion + events.length, position };
}

function createStream(connection: Connection, { tenant, principal }: Owner, stream: string): number {
  return Number(prepare(connection, insertStream).run(tenant, principal, stream).lastInsertRowid);
}
