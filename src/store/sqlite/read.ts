import type { Owner, StoredEvent } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";
import { findStream } from "./find-stream.ts";
import { quarantinePosition } from "./quarantine.ts";
import { eventColumns, toStoredEvent } from "./stored-event.ts";

const select = `
  select ${eventColumns} from events
  where stream_id = ? and version >= ? and quarantine_reason is null
  order by version limit ?`;

export function read(
  connection: Connection,
  owner: Owner,
  stream: string,
  fromVersion: number,
  limit: number,
): readonly StoredEvent[] {
  const found = findStream(connection, owner, stream);
  if (found === undefined) return [];
  const events: StoredEvent[] = [];
  for (const row of prepare(connection, select).all(found.id, fromVersion, limit)) {
    const event = toStoredEvent(stream, row);
    if (event === undefined) quarantinePosition(connection, Number(row.position));
    else events.push(event);
  }
  return events;
}
