import type { Sql } from "postgres";
import { toLabelKey } from "../count-key.ts";
import type { Count } from "../event-store.ts";

/** In order of name and labels: two writers that lock the same rows in another order would wait for each other for ever. */
export async function addCounts(sql: Sql, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    insert into holdfast.counters as counters (name, labels, count)
    select name, labels, sum(count) from unnest(
      ${counts.map(({ name }) => name)}::text[],
      ${counts.map(({ labels }) => toLabelKey(labels))}::text[],
      ${counts.map(({ count }) => count)}::bigint[]
    ) as added (name, labels, count)
    group by name, labels order by name, labels
    on conflict (name, labels) do update set count = counters.count + excluded.count`;
}
