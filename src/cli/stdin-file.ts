/** A session that comes through a pipe, as a file: its readers go back and forth in it. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export interface StdinFile {
  readonly path: string;
  remove(): Promise<void>;
}

export async function saveStdin(): Promise<StdinFile> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-stdin-"));
  const path = join(folder, "stdin.jsonl");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Readable by its owner alone, as the folder is.
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }));
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
