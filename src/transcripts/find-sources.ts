import type { Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { HoldfastError } from "../lib/error.ts";
import { describeFileFailure } from "../lib/file-failure.ts";
import { agentOf } from "./agents.ts";
import { isDatabase } from "./opencode/database.ts";
import type { JsonlAgent } from "./session-fold.ts";
import type { AgentName } from "./transcript.ts";

/** Something that holds sessions. */
export type Source =
  | { readonly kind: "jsonl"; readonly path: string; readonly bytes: number; readonly agent: JsonlAgent }
  | { readonly kind: "storage" | "database" | "export"; readonly path: string; readonly bytes: number };

export interface FoundSources {
  readonly sources: readonly Source[];
  /** Files that are no sessions of a known agent. */
  readonly skipped: number;
  /** Folders that could not be looked into, with the reason. */
  readonly unreadable: readonly UnreadablePlace[];
}

export interface UnreadablePlace {
  readonly path: string;
  readonly reason: string;
}

export interface FindOptions {
  readonly agent: AgentName | undefined;
  /** Files that nobody wrote to since are left out; ms since 1970. */
  readonly since: number;
}

/** A home with more files than this is not one of sessions: someone scans the whole disk. */
const filesMax = 500_000;
/** Enough for the first rows; a first row that is longer leaves the decision to the name. */
const headBytes = 256 * 1024;
const foldersSkipped = new Set([".git", "node_modules", "tool-results"]);

/**
 * Finds the sessions below files and folders the person named.
 * @throws HoldfastError `path_not_found`, `not_a_session`: a named file must be one, what lies in a folder need not
 */
export async function findSources(paths: readonly string[], options: FindOptions): Promise<FoundSources> {
  const search = new Search(options);
  for (const path of paths) {
    const found = await stat(path).catch((error: unknown) => {
      throw new HoldfastError("path_not_found", `${path}: ${describeFileFailure(error)}`, { cause: error });
    });
    if (found.isDirectory()) await search.walk(path);
    else if (!(await search.take(path))) {
      const message = `${path} is no session file of Claude Code, Pi, OMP, OpenCode or Codex. Name a session file or a folder.`;
      throw new HoldfastError("not_a_session", message);
    }
  }
  return { sources: search.sources, skipped: search.skipped, unreadable: search.unreadable };
}

class Search {
  readonly sources: Source[] = [];
  readonly unreadable: UnreadablePlace[] = [];
  skipped = 0;
  readonly #options: FindOptions;
  /** Two ways to one file are one file. */
  readonly #seen = new Set<string>();
  readonly #walked = new Set<string>();

  constructor(options: FindOptions) {
    this.#options = options;
  }

  /** Follows links as well: sessions often lie on another disk. A link back up ends at the folder that was walked already. */
  async walk(folder: string): Promise<void> {
    const entries = await this.#list(folder);
    if (isStorage(entries)) {
      this.#add({ kind: "storage", path: folder, bytes: 0 });
      return;
    }
    const names = new Set(entries.map((entry) => entry.name));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      // Expected: a link to nothing.
      const kind = entry.isSymbolicLink() ? await stat(path).catch(() => entry) : entry;
      if (kind.isDirectory()) {
        if (!foldersSkipped.has(entry.name)) await this.walk(path);
        continue;
      }
      // The plain file is the newer one where a compressed copy stands beside it.
      if (entry.name.endsWith(".zst") && names.has(entry.name.slice(0, -4))) continue;
      if (kind.isFile() && this.#seen.size < filesMax && isCandidate(entry.name)) await this.#takeFound(path);
    }
  }

  async #list(folder: string): Promise<Dirent[]> {
    try {
      const real = await realpath(folder);
      if (this.#walked.has(real)) return [];
      this.#walked.add(real);
      return await readdir(folder, { withFileTypes: true });
    } catch (error) {
      // Expected: a folder of another user, or one that went away meanwhile.
      this.unreadable.push({ path: folder, reason: describeFileFailure(error) });
      return [];
    }
  }

  /** Takes a file if it holds sessions. */
  async take(path: string): Promise<boolean> {
    const { size, mtimeMs } = await stat(path);
    const source = await sourceOf(path, size);
    if (source === undefined) return false;
    if (mtimeMs >= this.#options.since) this.#add(source);
    return true;
  }

  async #takeFound(path: string): Promise<void> {
    const real = await realpath(path);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    try {
      // Agents keep many other JSON files beside their sessions; only an export of OpenCode is looked for among them.
      if (!(await this.take(path)) && !path.endsWith(".json")) this.skipped += 1;
    } catch {
      // Expected: no permission, or the agent removed the file meanwhile.
      this.skipped += 1;
    }
  }

  #add(source: Source): void {
    const agent = source.kind === "jsonl" ? source.agent.agent : "opencode";
    if (this.#options.agent === undefined || this.#options.agent === agent) this.sources.push(source);
  }
}

function isCandidate(name: string): boolean {
  return /\.(jsonl|jsonl\.zst|json)$/.test(name) || /^opencode.*\.db$/.test(name);
}

/** The older tree of OpenCode is one source: its thousands of files belong to few sessions. */
function isStorage(entries: readonly Dirent[]): boolean {
  const folders = new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name));
  return ["session", "message", "part"].filter((name) => folders.has(name)).length >= 2;
}

async function sourceOf(path: string, bytes: number): Promise<Source | undefined> {
  if (path.endsWith(".db")) return (await isDatabase(path)) ? { kind: "database", path, bytes } : undefined;
  const head = await headOf(path, Math.min(bytes, headBytes));
  if (/^\s*\{\s*"info"\s*:/.test(head.toString("latin1", 0, 256))) return { kind: "export", path, bytes };
  if (basename(path).endsWith(".json")) return undefined;
  const agent = agentOf(path, path.endsWith(".zst") ? Buffer.alloc(0) : head);
  return agent === undefined ? undefined : { kind: "jsonl", path, bytes, agent };
}

async function headOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
