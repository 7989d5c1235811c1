/** Which agents are installed here, and their versions as they say them. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

export interface FoundHost {
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

export async function findHosts(env: NodeJS.ProcessEnv): Promise<readonly FoundHost[]> {
  const found = await Promise.all(HOSTS.map(([command, name]) => findHost(command, name, env)));
  return found.filter((host) => host !== null);
}

async function findHost(command: string, name: string, env: NodeJS.ProcessEnv): Promise<FoundHost | null> {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, command);
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return { command, name, version: await askVersion(path, env) };
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
