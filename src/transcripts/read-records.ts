import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createZstdDecompress } from "node:zlib";
import { type RawRecord, RecordReader, type RecordRules } from "./record-reader.ts";
import type { RecordTally } from "./transcript.ts";

/** Big enough that the disk is not the limit, small enough that Ctrl-C and the progress line come through. */
const chunkBytes = 1024 * 1024;
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
  visit: (record: RawRecord) => void,
  lastAt: () => number,
  options: ReadOptions,
): Promise<RecordTally> {
  const before = await stat(path);
  const reader = new RecordReader(rules, visit);
  let unreadable = false;
  for await (const chunk of chunksOf(path, options.onBytes, () => {
    unreadable = true;
  })) {
    reader.push(chunk);
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

async function* chunksOf(
  path: string,
  onBytes: (bytes: number) => void,
  onUnreadable: () => void,
): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  file.on("data", (chunk) => onBytes(chunk.length));
  const source = path.endsWith(".zst") ? pipeline(file, createZstdDecompress(), () => {}) : file;
  try {
    yield* source as AsyncIterable<Buffer>;
  } catch {
    // Expected: a compressed file that was cut, or one that went away. What came before it still counts.
    onUnreadable();
  }
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
