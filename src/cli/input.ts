/**
 * The requests that a person names on the command line (CL-3): files, folders, stdin, JSON lines and capture envelopes.
 * The bytes of a request are never re-serialised on the way: they are what the provider would get. Files are read
 * synchronously: nothing else waits in a command, and loading `node:fs/promises` is a tenth of its start.
 */
import { closeSync, type Dirent, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describeFileFailure } from "../lib/file-failure.ts";
import { type Line, LineSplitter } from "../transcripts/line-splitter.ts";
import { openEnvelope, type RequestHints } from "./envelope.ts";

export type Input = RequestInput | UnreadableInput;

export interface RequestInput {
  readonly kind: "request";
  readonly source: string;
  /** One-based, for JSON lines only. */
  readonly line: number | null;
  /** The request body. */
  readonly bytes: Uint8Array;
  /** What an envelope says of the request; empty for a bare body. */
  readonly hints: RequestHints;
  /** Where an output of this request stands below a folder of outputs. */
  readonly target: string;
}

export interface UnreadableInput {
  readonly kind: "unreadable";
  readonly source: string;
  readonly line: number | null;
  readonly message: string;
}

/** Providers take at most 32 MB; the gateway does not read larger bodies either (GW-7). */
export const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** A larger folder is most likely not meant, and the list of its names would not fit the memory of a small machine. */
export const FILES_MAX = 200_000;

/** Every request below `paths`, folders in the order of their names. Never throws: what can't be read is an item too. */
export async function* readInputs(paths: readonly string[]): AsyncGenerator<Input> {
  for (const path of paths) {
    if (path === "-") yield* readStdin();
    else yield* readPath(path);
  }
}

async function* readPath(path: string): AsyncGenerator<Input> {
  try {
    if (statSync(path).isDirectory()) yield* readFolder(path);
    else yield* readRequests(path, basename(path));
  } catch (error) {
    yield unreadable(path, describeFileFailure(error));
  }
}

async function* readFolder(folder: string): AsyncGenerator<Input> {
  const files = listFiles(folder);
  if (files.length === 0) yield unreadable(folder, "the folder holds no .json or .jsonl file");
  if (files.length > FILES_MAX) yield unreadable(folder, `more than ${FILES_MAX} files; name a smaller folder`);
  for (const file of files.slice(0, FILES_MAX)) {
    try {
      yield* readRequests(file, relative(folder, file));
    } catch (error) {
      yield unreadable(file, describeFileFailure(error));
    }
  }
}

/** Links are not followed and dot folders are not entered: neither holds what the person pointed at. */
function listFiles(folder: string): string[] {
  const files: string[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined && files.length <= FILES_MAX; at = open.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort(byName)) {
      if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
        open.push(join(at, entry.name));
      if (entry.isFile() && /\.jsonl?$/.test(entry.name)) files.push(join(at, entry.name));
    }
  }
  return files.sort();
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : 1;
}

async function* readRequests(path: string, target: string): AsyncGenerator<Input> {
  if (path.endsWith(".jsonl")) {
    yield* readLines(path, target, readChunks(path));
  } else if (statSync(path).size > REQUEST_BYTES_MAX) {
    yield unreadable(path, tooLarge());
  } else {
    yield await toInput(path, null, target, readFileSync(path));
  }
}

function* readChunks(path: string): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const size = readSync(file, chunk);
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Stdin has no name that tells what it is: a first line that is a whole object, with more behind it, makes it JSON lines. */
async function* readStdin(): AsyncGenerator<Input> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > REQUEST_BYTES_MAX) return yield unreadable("-", tooLarge());
  }
  const bytes = Buffer.concat(chunks);
  if (startsWithWholeObject(bytes)) yield* readLines("-", "stdin.jsonl", [bytes]);
  else yield await toInput("-", null, "stdin.json", bytes);
}

function startsWithWholeObject(bytes: Buffer): boolean {
  const end = bytes.indexOf(0x0a);
  if (end === -1 || bytes.subarray(end).toString("latin1").trim() === "") return false;
  try {
    return typeof JSON.parse(bytes.toString("utf8", 0, end)) === "object";
  } catch {
    return false; // The first line of a spread-out document.
  }
}

async function* readLines(source: string, target: string, chunks: Iterable<Buffer>): AsyncGenerator<Input> {
  for (const { number, bytes, oversized } of splitLines(chunks)) {
    if (oversized || bytes.length > REQUEST_BYTES_MAX) yield { ...unreadable(source, tooLarge()), line: number };
    else if (!isBlank(bytes)) yield await toInput(source, number, target, bytes);
  }
}

function* splitLines(chunks: Iterable<Buffer>): Generator<Line> {
  const lines: Line[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) {
    splitter.push(chunk);
    yield* lines.splice(0);
  }
  splitter.end();
  yield* lines;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 100 && bytes.toString("latin1").trim() === "";
}

async function toInput(source: string, line: number | null, target: string, bytes: Buffer): Promise<Input> {
  const opened = await openEnvelope(bytes, REQUEST_BYTES_MAX);
  if (opened.kind === "unreadable") return { ...opened, source, line };
  return { kind: "request", source, line, bytes: opened.body, hints: opened.hints, target };
}

function unreadable(source: string, message: string): UnreadableInput {
  return { kind: "unreadable", source, line: null, message };
}

function tooLarge(): string {
  return `larger than ${REQUEST_BYTES_MAX / 1024 / 1024} MiB, which no provider takes`;
}
