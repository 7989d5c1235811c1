/** Gateways of others, pinned, installed into a temporary folder that the next run finds again. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PEERS = { "@portkey-ai/gateway": "1.15.2", fastify: "5.12.8", "@fastify/reply-from": "12.6.5" };

/** With the newest one that it allows, Portkey 1.15.2 answers every stream with a 500. */
const overrides = { "@portkey-ai/gateway": { "@hono/node-server": "1.13.8" } };

export function installPeers(): string {
  const folder = join(tmpdir(), "holdfast-bench-peers-1");
  if (existsSync(folder)) return folder;
  const making = `${folder}-${process.pid}`;
  mkdirSync(making);
  writeFileSync(join(making, "package.json"), JSON.stringify({ private: true, dependencies: PEERS, overrides }));
  try {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: making, stdio: "pipe" });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
