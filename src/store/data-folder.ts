/** Where data lives without a setting (CL-5): the place that the platform has for it. */
import { homedir } from "node:os";
import { join } from "node:path";

export function locateDataFolder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, "holdfast");
  if (platform === "darwin") return join(home, "Library", "Application Support", "holdfast");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "holdfast");
  return join(home, ".local", "share", "holdfast");
}

export function locateDefaultStore(env: NodeJS.ProcessEnv): string {
  return `sqlite:${join(locateDataFolder(env), "holdfast.db")}`;
}
