import { join } from "node:path";

/** `CLAUDE_CONFIG_DIR` may be a list; the folder below `.config` is an older place that people still have. */
export function homes(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  const configured = environment.CLAUDE_CONFIG_DIR?.split(",").map((folder) => folder.trim());
  const folders = configured?.filter((folder) => folder !== "") ?? [];
  const all = folders.length > 0 ? folders : [join(home, ".claude"), join(home, ".config", "claude")];
  return all.map((folder) => join(folder, "projects"));
}
