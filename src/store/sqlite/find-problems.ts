/** SQLite's own look at every page. Reads the whole file. */
import type { DatabaseSync } from "./database.ts";

/** A damaged file can have as many problems as pages; a person needs a few of them. */
const problemsMax = 20;

export function findProblems(db: DatabaseSync): readonly string[] {
  const rows = db.prepare(`pragma quick_check(${problemsMax})`).all();
  return rows.map((row) => String(row.quick_check)).filter((problem) => problem !== "ok");
}
