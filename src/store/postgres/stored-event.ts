/** A row of `events` as the port's event. */
import { crc32 } from "node:zlib";
import type { Row } from "postgres";
import type { StoredEvent } from "../event-store.ts";

/** Undefined where the bytes are no longer those that were written. */
export function toStoredEvent(stream: string, row: Row): StoredEvent | undefined {
  // A copy: the driver's buffer may be a view into memory that other rows share.
  const data = new Uint8Array(row.data as Uint8Array);
  if (crc32(data) !== Number(row.data_crc32)) return undefined;
  return {
    stream,
    version: Number(row.version),
    position: Number(row.position),
    type: String(row.type),
    data,
    recordedAt: (row.recorded_at as Date).getTime(),
  };
}
