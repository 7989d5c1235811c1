import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../json-value.ts";
import { isGrowing } from "../read-records.ts";
import { parseObject } from "../salvage.ts";
import { RecordTally } from "../transcript.ts";
import type { MessageRow, PartRow } from "./row.ts";

/** A part holds one tool output; a bigger file is none. */
const fileBytesMax = 64 * 1024 * 1024;

/** One session of the older tree, where every message and every part is a file. */
export class StoredSession {
  readonly id: string;
  readonly path: string;
  readonly tally = new RecordTally();
  readonly #root: string;
  readonly #now: number;

  constructor(root: string, id: string, path: string, now: number) {
    this.#root = root;
    this.id = id;
    this.path = path;
    this.#now = now;
  }

  async *messages(): AsyncGenerator<MessageRow> {
    if (this.path.endsWith(`${this.id}.json`)) await this.#read(this.path);
    const folder = await firstFolder([
      join(this.#root, "message", this.id),
      join(this.#root, "session", "message", this.id),
    ]);
    for (const name of folder.names) {
      const info = await this.#read(join(folder.path, name));
      const messageId = name.replace(/\.json$/, "");
      const parts = await this.#parts(messageId);
      // Parts whose message is lost belong to no request any more, but they were read.
      if (info !== undefined) yield { info: { id: messageId, ...info }, parts };
    }
  }

  async #parts(messageId: string): Promise<readonly PartRow[]> {
    const folder = await firstFolder([
      join(this.#root, "part", messageId),
      join(this.#root, "part", this.id, messageId),
      join(this.#root, "session", "part", this.id, messageId),
    ]);
    const parts: PartRow[] = [];
    for (const name of folder.names) {
      const file = join(folder.path, name);
      const part = await this.#read(file);
      if (part !== undefined) parts.push({ part, file });
    }
    return parts;
  }

  async #read(file: string): Promise<JsonObject | undefined> {
    this.tally.lines += 1;
    const { size } = await stat(file);
    const text = size > fileBytesMax ? "" : await readFile(file, "utf8");
    const value = parseObject(text);
    if (value !== undefined) {
      this.tally.good += 1;
      return value;
    }
    if (size <= fileBytesMax && (await isGrowing(file, size, 0, this.#now))) {
      this.tally.lines -= 1;
      return undefined;
    }
    const isNul = /^\0+$/.test(text);
    const kind = size > fileBytesMax ? "oversized" : isNul ? "nul_run" : "torn_tail";
    this.tally.lost += 1;
    this.tally.note({ line: null, file, kind, recovered: false, bytes: size });
    return undefined;
  }
}

/** The sessions of a tree, from their own files and from the folders of their messages. */
export async function findStoredSessions(root: string, now: number): Promise<readonly StoredSession[]> {
  const pathById = new Map<string, string>();
  for (const messages of [join(root, "message"), join(root, "session", "message")]) {
    for (const id of await namesIn(messages)) pathById.set(id, join(messages, id));
  }
  const infos = await readdir(join(root, "session"), { recursive: true }).catch(() => []);
  for (const name of infos) {
    const id = /(?:^|[\\/])(ses_[^\\/]*)\.json$/.exec(name)?.[1];
    if (id !== undefined) pathById.set(id, join(root, "session", name));
  }
  return [...pathById].map(([id, path]) => new StoredSession(root, id, path, now));
}

async function firstFolder(paths: readonly string[]): Promise<{ path: string; names: readonly string[] }> {
  for (const path of paths) {
    const names = await namesIn(path);
    if (names.length > 0) return { path, names: names.filter((name) => name.endsWith(".json")) };
  }
  return { path: "", names: [] };
}

/** Ids sort by time, so the order of names is the order of messages. */
async function namesIn(folder: string): Promise<readonly string[]> {
  // Expected: the other layout has no such folder.
  const names = await readdir(folder).catch(() => []);
  return names.sort();
}
