import { toLabelKey } from "../count-key.ts";
import type { Count } from "../event-store.ts";
import { type Connection, prepare } from "./connection.ts";

const upsert = `
  insert into counters (name, labels, count) values (?, ?, ?)
  on conflict (name, labels) do update set count = count + excluded.count`;

export function addCounts(connection: Connection, counts: readonly Count[]): void {
  for (const { name, labels, count } of counts) prepare(connection, upsert).run(name, toLabelKey(labels), count);
}
