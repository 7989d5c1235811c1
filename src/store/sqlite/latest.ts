import type { Owner, StoredEvent } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";
import { quarantinePosition } from "./quarantine.ts";
import { eventColumns, toStoredEvent } from "./stored-event.ts";

const select = `
  select ${eventColumns} from events
  where stream_id = (select id from streams where tenant = ? and principal = ? and name = ?)
    and type = ? and version < ? and quarantine_reason is null
  order by version desc limit 1`;

export function latest(connection: Connection, owner: Owner, stream: string, type: string): StoredEvent | undefined {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const row = prepare(connection, select).get(owner.tenant, owner.principal, stream, type, below);
    if (row === undefined) return undefined;
    const event = toStoredEvent(stream, row);
    if (event !== undefined) return event;
    quarantinePosition(connection, Number(row.position));
    below = Number(row.version);
  }
}
