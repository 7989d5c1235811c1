/** A session that comes through a pipe, as a file: its readers go back and forth in it. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openTemporaryFolder } from "../lib/temporary-folder.ts";

export interface StdinFile {
  readonly path: string;
  remove(): void;
}

export async function saveStdin(): Promise<StdinFile> {
  const folder = openTemporaryFolder("stdin");
  const path = join(folder.path, "stdin.jsonl");
  try {
    // Readable by its owner alone, as the folder is.
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return { path, remove: folder.remove };
  } catch (error) {
    folder.remove();
    throw error;
  }
}
