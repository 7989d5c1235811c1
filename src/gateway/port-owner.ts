/** Who holds a port, as far as this machine tells. For an error message only: every failure here means "unknown". */
import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const LOOK_MS_MAX = 1_000;

/** For example `another holdfast gateway (pid 812)` or `node (pid 812)`; null where it cannot be known. */
export async function describePortOwner(host: string, port: number): Promise<string | null> {
  return (await askHealth(host, port)) ?? (await lookInProc(port)) ?? (await askLsof(port));
}

async function askHealth(host: string, port: number): Promise<string | null> {
  try {
    const name = host.includes(":") ? `[${host}]` : host;
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(LOOK_MS_MAX) });
    const health = (await answer.json()) as { readonly name?: unknown; readonly pid?: unknown } | null;
    return health?.name === "holdfast" ? `another holdfast gateway (pid ${Number(health.pid)})` : null;
  } catch {
    return null;
  }
}

/** Linux: the socket's inode by its port, then the process that has it open. */
async function lookInProc(port: number): Promise<string | null> {
  try {
    const inodes = await listeningInodes(port);
    if (inodes.size === 0) return null;
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      if (await holds(pid, inodes)) {
        return `${(await readFile(`/proc/${pid}/comm`, "utf8")).trim()} (pid ${pid})`;
      }
    }
  } catch {
    // Not Linux, or not ours to see.
  }
  return null;
}

async function listeningInodes(port: number): Promise<ReadonlySet<string>> {
  const inodes = new Set<string>();
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of (await readFile(table, "utf8").catch(() => "")).split("\n")) {
      const fields = line.trim().split(/\s+/);
      // Local address, state (0A is LISTEN), inode.
      if (fields[1]?.endsWith(wanted) && fields[3] === "0A") inodes.add(`socket:[${fields[9]}]`);
    }
  }
  return inodes;
}

async function holds(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const fd of open) {
    if (inodes.has(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ""))) return true;
  }
  return false;
}

async function askLsof(port: number): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"], {
      timeout: LOOK_MS_MAX,
    });
    const pid = /^p(\d+)$/m.exec(stdout)?.[1];
    return pid === undefined ? null : `${/^c(.+)$/m.exec(stdout)?.[1] ?? "a process"} (pid ${pid})`;
  } catch {
    return null;
  }
}
