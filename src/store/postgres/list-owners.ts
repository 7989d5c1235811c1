import type { Sql } from "postgres";
import type { ListOwnersOptions, Owner } from "../event-store.ts";
import { ownerRange } from "../limits.ts";

export async function listOwners(sql: Sql, options: ListOwnersOptions): Promise<readonly Owner[]> {
  const { after, limit } = ownerRange(options);
  const rows = await sql`
    select distinct tenant, principal from holdfast.streams
    where (tenant, principal) > (${after.tenant}, ${after.principal})
    order by tenant, principal limit ${limit}`;
  return rows.map((row) => ({ tenant: String(row.tenant), principal: String(row.principal) }));
}
