import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createZstdDecompress } from "node:zlib";
import { type RawRecord, RecordReader, type RecordRules } from "./record-reader.ts";
import type { RowIndex } from "./row-index.ts";
import type { RecordTally } from "./transcript.ts";

/** Big enough that the disk is not the limit, small enough that Ctrl-C and the progress line come through. */
const chunkBytes = 256 * 1024;
/** A session that wrote this lately, by its own clock and by the file's, is still at work. */
const liveMs = 10 * 60_000;
/** An agent in mid-write moves the file's end within this time. */
const watchMs = 150;

export interface ReadOptions {
  readonly now: number;
  /** Called for each chunk with its bytes on disk. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Streams one file of JSON lines, plain or `.zst`, in bounded memory. It only ever reads.
 * @param lastAt time of the newest record so far, for telling a live session from a dead one
 */
export async function readRecords(
  path: string,
  rules: RecordRules,
  rows: RowIndex,
  visit: (record: RawRecord) => void,
  lastAt: () => number,
  options: ReadOptions,
): Promise<RecordTally> {
  const before = await stat(path);
  const reader = new RecordReader(rules, rows, visit);
  const chunks = path.endsWith(".zst")
    ? zstdChunks(path, options.onBytes)
    : plainChunks(path, before.size, options.onBytes);
  let unreadable = false;
  try {
    for await (const chunk of chunks) reader.push(chunk);
  } catch (error) {
    // Expected: a compressed file that was cut, or a disk that fails. What came before it still counts.
    if (!isSystemError(error)) throw error;
    unreadable = true;
  }
  const openTail = reader.endInput();
  const growing = openTail && (await isGrowing(path, before.size, lastAt(), options.now));
  reader.close(growing);
  if (unreadable) {
    reader.tally.lost += 1;
    reader.tally.note({ line: null, kind: "unreadable", recovered: false });
  }
  return reader.tally;
}

/** The next chunk is read while this one is parsed. A chunk must be used up before the next one is asked for. */
async function* plainChunks(path: string, size: number, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    // One byte more than the file has, so that a small file is at its end after two short reads.
    const bytes = Math.min(chunkBytes, size + 1);
    let [current, next] = [Buffer.allocUnsafe(bytes), Buffer.allocUnsafe(bytes)];
    let { bytesRead } = await file.read(current, 0, bytes);
    while (bytesRead > 0) {
      const reading = file.read(next, 0, bytes);
      onBytes(bytesRead);
      yield current.subarray(0, bytesRead);
      ({ bytesRead } = await reading);
      [current, next] = [next, current];
    }
  } finally {
    await file.close();
  }
}

async function* zstdChunks(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  file.on("data", (chunk) => onBytes(chunk.length));
  yield* pipeline(file, createZstdDecompress(), () => {}) as AsyncIterable<Buffer>;
}

/** Is an agent writing this file right now? Only asked where the answer matters, because it may wait a moment. */
export async function isGrowing(path: string, sizeBefore: number, lastAt: number, now: number): Promise<boolean> {
  const after = await statOf(path);
  if (after === undefined) return false;
  if (after.size !== sizeBefore) return true;
  if (now - after.mtimeMs > liveMs) return false;
  if (now - lastAt < liveMs) return true;
  await setTimeout(watchMs);
  return (await statOf(path))?.size !== sizeBefore;
}

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path);
  } catch {
    // Expected: the agent archived or removed the file meanwhile.
    return undefined;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
