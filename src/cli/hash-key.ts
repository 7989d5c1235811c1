/**
 * The key of all stored hashes of prompt content (DG-75). It lies beside the store and never in it, so that a copy of the
 * store alone tells nothing about prompts.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { locateDataFolder } from "./data-dir.ts";

const KEY_BYTES = 32;

/** Made at the first use. Where it can't be kept, this process has one of its own: hashes then match only within it. */
export function loadHashKey(storeUrl: string, env: NodeJS.ProcessEnv): Uint8Array {
  const path = locateKey(storeUrl, env);
  const fresh = randomBytes(KEY_BYTES);
  if (path === null) return fresh;
  try {
    return readKey(path) ?? createKey(path, fresh);
  } catch {
    return fresh; // A folder that can't be written, for example.
  }
}

function locateKey(storeUrl: string, env: NodeJS.ProcessEnv): string | null {
  if (storeUrl.startsWith("sqlite:")) return `${storeUrl.slice("sqlite:".length)}.key`;
  return storeUrl === "memory:" ? null : join(locateDataFolder(env), "holdfast.key");
}

function readKey(path: string): Uint8Array | null {
  try {
    const key = readFileSync(path);
    return key.length === KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}

/** Two processes may start at once: the one that comes second takes the key of the first. */
function createKey(path: string, fresh: Uint8Array): Uint8Array {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch {
    const first = readKey(path);
    if (first === null) writeFileSync(path, fresh, { mode: 0o600 }); // A damaged key is worth nothing.
    return first ?? fresh;
  }
}
