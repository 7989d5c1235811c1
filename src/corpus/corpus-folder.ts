/** A corpus on disk: reading its fixtures one at a time, and the few changes that replay makes to it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { HoldfastError } from "../lib/error.ts";
import { describeFileFailure } from "../lib/file-failure.ts";
import { type CorpusIndex, EMPTY_INDEX, formatIndex, INDEX_FILE, parseIndex } from "./corpus-index.ts";
import {
  FIXTURE_FILE,
  type Fixture,
  formatFixture,
  PREPARED_FILE,
  parseFixture,
  RECEIVED_FILE,
  REQUEST_FILE,
} from "./fixture.ts";
import { formatPrepared, type PreparedRows, parsePrepared } from "./prepared-rows.ts";

export interface StoredFixture {
  /** The folder's path below the corpus, with slashes. */
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly requestSha256: string;
  /** Null for a request that nobody has recorded yet. */
  readonly fixture: Fixture | null;
  /** The text of `fixture.json`, for the lines of its members. */
  readonly fixtureText: string;
  readonly received: readonly unknown[];
  /** The host's own rows; null where nobody saw them. */
  readonly prepared: PreparedRows | null;
}

const FILES = [REQUEST_FILE, FIXTURE_FILE, RECEIVED_FILE, PREPARED_FILE];

/** A larger folder is most likely not meant. */
const FIXTURES_MAX = 100_000;

export class CorpusFolder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** @throws HoldfastError where the folder cannot be read */
  listIds(): readonly string[] {
    const ids: string[] = [];
    const open = [this.root];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const entry of this.#entries(at)) {
        if (entry.isDirectory() && !entry.name.startsWith(".")) open.push(join(at, entry.name));
        if (entry.isFile() && entry.name === REQUEST_FILE && at !== this.root) ids.push(this.#idOf(at));
      }
      if (ids.length > FIXTURES_MAX) {
        throw new HoldfastError("corpus_too_large", `${this.root} holds more than ${FIXTURES_MAX} fixtures; split it`);
      }
    }
    return ids.sort();
  }

  /** @throws HoldfastError `fixture_invalid` */
  readIndex(): CorpusIndex {
    const file = this.fileOf(INDEX_FILE);
    return existsSync(file) ? parseIndex(readFileSync(file, "utf8"), file) : EMPTY_INDEX;
  }

  readIndexText(): string {
    const file = this.fileOf(INDEX_FILE);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  writeIndex(index: CorpusIndex): void {
    writeFileSync(this.fileOf(INDEX_FILE), formatIndex(index));
  }

  /** @throws HoldfastError `fixture_invalid` */
  readFixture(id: string): StoredFixture {
    const bytes = readFileSync(this.fileOf(id, REQUEST_FILE));
    const file = this.fileOf(id, FIXTURE_FILE);
    const fixtureText = existsSync(file) ? readFileSync(file, "utf8") : "";
    return {
      id,
      bytes,
      requestSha256: createHash("sha256").update(bytes).digest("hex"),
      fixture: fixtureText === "" ? null : parseFixture(fixtureText, file),
      fixtureText,
      received: this.#readReceived(id),
      prepared: this.#readPrepared(id),
    };
  }

  writeFixture(id: string, fixture: Fixture, bytes?: Uint8Array): void {
    mkdirSync(this.fileOf(id), { recursive: true });
    if (bytes !== undefined) writeFileSync(this.fileOf(id, REQUEST_FILE), bytes);
    writeFileSync(this.fileOf(id, FIXTURE_FILE), formatFixture(fixture));
  }

  writePrepared(id: string, prepared: PreparedRows): void {
    writeFileSync(this.fileOf(id, PREPARED_FILE), formatPrepared(prepared));
  }

  /** Deletes the files of a fixture and its folder, and nothing else that somebody put there. */
  deleteFixture(id: string): void {
    for (const name of FILES) rmSync(this.fileOf(id, name), { force: true });
    if (existsSync(this.fileOf(id)) && readdirSync(this.fileOf(id)).length === 0) rmdirSync(this.fileOf(id));
  }

  fileOf(...steps: readonly string[]): string {
    return join(this.root, ...steps);
  }

  #idOf(folder: string): string {
    return relative(this.root, folder).split(sep).join("/");
  }

  #entries(folder: string) {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      // Expected: a wrong name, a file, no permission.
      throw new HoldfastError("corpus_unreadable", `${folder}: ${describeFileFailure(error)}; name a corpus folder`);
    }
  }

  #readPrepared(id: string): PreparedRows | null {
    const file = this.fileOf(id, PREPARED_FILE);
    return existsSync(file) ? parsePrepared(readFileSync(file, "utf8"), file) : null;
  }

  #readReceived(id: string): readonly unknown[] {
    const file = this.fileOf(id, RECEIVED_FILE);
    if (!existsSync(file)) return [];
    try {
      const received: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (Array.isArray(received)) return received;
    } catch {
      // Expected: a file that somebody edited. The message below says what is wanted.
    }
    throw new HoldfastError("fixture_invalid", `${file} is no JSON array of exchanges`);
  }
}
