/** A row of `events` as the port's event. */
import type { SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { StoredEvent } from "../event-store.ts";

export const eventColumns = "version, position, type, data, data_crc32, recorded_at";

/** Undefined where the bytes are no longer those that were written. */
export function toStoredEvent(stream: string, row: Record<string, SQLOutputValue>): StoredEvent | undefined {
  const data = row.data as Uint8Array;
  if (crc32(data) !== row.data_crc32) return undefined;
  return {
    stream,
    version: Number(row.version),
    position: Number(row.position),
    type: String(row.type),
    data,
    recordedAt: Number(row.recorded_at),
  };
}
