import { join } from "node:path";

/** Archiving moves a file from the first folder to the second. */
export function homes(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  const base = environment.CODEX_HOME ?? join(home, ".codex");
  return [join(base, "sessions"), join(base, "archived_sessions")];
}
