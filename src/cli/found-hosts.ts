/** Which agents are installed here, their versions as they say them, and whether Holdfast is between them and their provider. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type HostSettings, readHostSettings, type Surroundings } from "../report/doctor/host-settings.ts";

export interface FoundHost extends HostSettings {
  readonly command: string;
  readonly name: string;
  readonly version: string | null;
}

const HOSTS = [
  ["claude", "Claude Code"],
  ["codex", "Codex"],
  ["pi", "Pi"],
  ["omp", "OMP"],
  ["opencode", "OpenCode"],
] as const;

/** Agents load much before they say their version; one that hangs must not hang the doctor. */
const VERSION_WAIT_MS = 10_000;

export async function findHosts(surroundings: Surroundings): Promise<readonly FoundHost[]> {
  const found = await Promise.all(HOSTS.map(([command, name]) => findHost(command, name, surroundings)));
  return found.filter((host) => host !== null);
}

async function findHost(command: string, name: string, surroundings: Surroundings): Promise<FoundHost | null> {
  const { env } = surroundings;
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, command);
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isProgram) continue;
    return { command, name, version: await askVersion(path, env), ...readHostSettings(command, surroundings) };
  }
  return null;
}

async function askVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_WAIT_MS, env });
    return /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0] ?? null;
  } catch {
    return null; // It is installed, but does not start here: an older Node, for example.
  }
}
