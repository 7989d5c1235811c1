import type { Owner } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";

const update = `
  update events set quarantine_reason = ?
  where stream_id = (select id from streams where tenant = ? and principal = ? and name = ?)
    and version = ? and quarantine_reason is null`;
const updatePosition = "update events set quarantine_reason = 'bytes_changed' where position = ?";

export function quarantine(
  connection: Connection,
  owner: Owner,
  stream: string,
  version: number,
  reason: string,
): void {
  prepare(connection, update).run(reason, owner.tenant, owner.principal, stream, version);
}

/** For an event whose bytes are not those that were written. */
export function quarantinePosition(connection: Connection, position: number): void {
  try {
    prepare(connection, updatePosition).run(position);
  } catch {
    // Locked, full or read-only: this reader leaves the event out anyway, and the next one finds it again.
  }
}
