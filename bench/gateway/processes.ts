/** Starts the processes of a run, reads what the system says of their processor time, and ends them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers } from "./peers.ts";

export const GATEWAYS = ["bare", "holdfast", "fastify", "hono", "portkey"] as const;
export type GatewayName = (typeof GATEWAYS)[number];

export interface Running {
  readonly port: number;
  readonly pid: number;
}

/**
 * With its defaults glibc gives memory back and takes it again for every body, in every Node process; that would be most
 * of what is measured. `docs/reference/benchmarks.md` says what it costs.
 */
const MALLOC = {
  MALLOC_TRIM_THRESHOLD_: "536870912",
  MALLOC_MMAP_THRESHOLD_: "536870912",
  MALLOC_TOP_PAD_: "16777216",
  MALLOC_ARENA_MAX: "2",
};

export interface Stage {
  readonly upstream: Running;
  readonly gateways: Readonly<Record<GatewayName, Running>>;
  close(): void;
}

export async function openStage(): Promise<Stage> {
  const peers = installPeers();
  const children: ChildProcess[] = [];
  const start = async (processor: number, args: readonly string[], port?: number): Promise<Running> => {
    const child = spawnOn(processor, args);
    children.push(child);
    return { pid: child.pid!, port: port === undefined ? await toldPort(child) : await openPort(child, port) };
  };
  const close = () => {
    for (const child of children) child.kill();
  };
  try {
    const upstream = await start(1, [fileOf("upstream.ts")]);
    const own = (name: string) => start(0, [fileOf("contender.ts"), name, String(upstream.port), peers]);
    const port = await freePort();
    const portkey = join(peers, "node_modules/@portkey-ai/gateway/build/start-server.js");
    const gateways = {
      bare: await own("bare"),
      holdfast: await own("holdfast"),
      fastify: await own("fastify"),
      hono: await own("hono"),
      portkey: await start(0, [portkey, `--port=${port}`, "--headless"], port),
    };
    return { upstream, gateways, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Processor time of a process with all its threads, in nanoseconds. */
export function processorNs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    0,
  );
}

export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
}

function spawnOn(processor: number, args: readonly string[]): ChildProcess {
  const command = canPin() ? ["taskset", "-c", String(processor), process.execPath] : [process.execPath];
  return spawn(command[0]!, [...command.slice(1), ...args], {
    env: { ...process.env, ...MALLOC },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

/** The gateways on one processor, provider and load on the other, where the system can do that. */
function canPin(): boolean {
  try {
    execFileSync("taskset", ["-c", "1", "true"], { stdio: "ignore" });
    return true;
  } catch {
    // Expected: another system, or one processor.
    return false;
  }
}

function toldPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve((message as { port: number }).port));
    child.once("exit", (code) => reject(new Error(`a contender ended with ${code} before it listened`)));
  });
}

/** Of a program that says nothing: tries until it listens. */
async function openPort(child: ChildProcess, port: number): Promise<number> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (await listens(port)) return port;
  }
  throw new Error(`nothing listens on port ${port}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
