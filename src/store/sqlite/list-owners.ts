import type { ListOwnersOptions, Owner } from "../event-store.ts";
import { ownerRange } from "../limits.ts";
import { type Connection, prepare } from "./connection.ts";

const select = `
  select distinct tenant, principal from streams
  where (tenant, principal) > (?, ?)
  order by tenant, principal limit ?`;

export function listOwners(connection: Connection, options: ListOwnersOptions): readonly Owner[] {
  const { after, limit } = ownerRange(options);
  const rows = prepare(connection, select).all(after.tenant, after.principal, limit);
  return rows.map((row) => ({ tenant: String(row.tenant), principal: String(row.principal) }));
}
