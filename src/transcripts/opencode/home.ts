import { dirname, join } from "node:path";

/** The data folder: today's database, and the tree of JSON files that older versions left there. */
export function homes(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  const data = join(environment.XDG_DATA_HOME ?? join(home, ".local", "share"), "opencode");
  const database = environment.OPENCODE_DB;
  return database === undefined ? [data] : [dirname(database), data];
}
