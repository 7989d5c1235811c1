/**
 * The key of every stored hash of prompt content (DG-75). It lies in a file beside the store and never in it: a copy of
 * the store alone says nothing about prompts. Machines that share a PostgreSQL need a copy of one key each to recognise
 * each other's sessions; a store in memory has a key that ends with the process.
 */
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { HoldfastError } from "../lib/error.ts";

const keyBytes = 32;

/**
 * The key at `path`, made at the first use: 32 random bytes that only this user can read. Processes that start at once
 * get the same one. A damaged key is moved aside; what was hashed with it is not recognised any more.
 * @throws HoldfastError `hash_key_unusable`: go on with a key in memory
 */
export function openHashKey(path: string): Uint8Array {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) createOnce(path);
    const key = readFileSync(path);
    if (key.length === keyBytes) return new Uint8Array(key);
    renameSync(path, `${path}.damaged`);
    createOnce(path);
    return new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new HoldfastError(
      "hash_key_unusable",
      `The key ${path} can neither be read nor made (${cause instanceof Error ? cause.message : cause}). Check the permissions of its folder.`,
      { cause },
    );
  }
}

/** A link appears with its content or not at all, and only if nothing is there yet. */
function createOnce(path: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, randomBytes(keyBytes), { flag: "wx", mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (cause) {
    // Another process was first, and its key is everyone's.
    if (!existsSync(path)) throw cause;
  } finally {
    rmSync(draft);
  }
}
