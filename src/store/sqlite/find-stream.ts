import type { Owner } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";

const select = "select id, version from streams where tenant = ? and principal = ? and name = ?";

export function findStream(
  connection: Connection,
  owner: Owner,
  stream: string,
): { readonly id: number; readonly version: number } | undefined {
  const row = prepare(connection, select).get(owner.tenant, owner.principal, stream);
  return row === undefined ? undefined : { id: Number(row.id), version: Number(row.version) };
}
