import { fromLabelKey } from "../count-key.ts";
import type { Count } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";

const select = "select name, labels, count from counters order by name, labels";

export function counts(connection: Connection): readonly Count[] {
  const rows = prepare(connection, select).all();
  return rows.map((row) => ({
    name: String(row.name),
    labels: fromLabelKey(String(row.labels)),
    count: Number(row.count),
  }));
}
