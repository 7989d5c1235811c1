import type { Sql } from "postgres";
import { fromLabelKey } from "../count-key.ts";
import type { Count } from "../event-store.ts";

export async function counts(sql: Sql): Promise<readonly Count[]> {
  const rows = await sql`select name, labels, count from holdfast.counters order by name, labels`;
  return rows.map((row) => ({
    name: String(row.name),
    labels: fromLabelKey(String(row.labels)),
    count: Number(row.count),
  }));
}
