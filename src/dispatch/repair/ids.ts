/**
 * Ids that are renamed on the call and on everything that answers it. A new name depends on what stands in front of it
 * only: if it gave way to an id that comes later, the prefix would move on that turn. The later id gives way instead.
 */
import { sha256Hex } from "../../lib/sha256.ts";
import { isObject, type Row, type ToolCall, type ToolResult, type WireRequest } from "../../wire/request.ts";
import type { IdFault, NameFault } from "../detect/ids-anthropic.ts";
import type { CallFault } from "../detect/pairing-anthropic.ts";
import { pairingOf, pairsOf } from "../pairing.ts";
import type { EditDraft } from "../rule.ts";

const ID_LENGTH_MAX = 64;

/** Ids outside the pattern: one to one, so that two ids never become one; the same on every later turn. */
export function sanitiseIds(request: WireRequest, faults: readonly IdFault[]): EditDraft[] {
  return renameIds(request, faults, (id, taken) =>
    taken.mint(id.replaceAll(/[^a-zA-Z0-9_-]/g, "_"), id, taken.rowOf(id)),
  );
}

const MISTRAL_ID_LENGTH = 9;

/** Mistral's ids have one length; a piece of the hash has only letters and digits. */
export function hashIds(request: WireRequest, faults: readonly IdFault[]): EditDraft[] {
  return renameIds(request, faults, (id, taken) => taken.mintHash(id, taken.rowOf(id), MISTRAL_ID_LENGTH));
}

function renameIds(
  request: WireRequest,
  faults: readonly IdFault[],
  rename: (id: string, taken: TakenIds) => string,
): EditDraft[] {
  const taken = new TakenIds(request);
  const names = new Map<string, string>();
  for (const { id } of faults) names.set(id, rename(id, taken));
  return request.rows.flatMap(idBlocks).flatMap((block): EditDraft[] => {
    const renamed = names.get(block.kind === "call" ? block.id : block.callId);
    return renamed === undefined ? [] : [{ op: "replace", path: idPathOf(block), value: renamed }];
  });
}

/** A later call with a used id gets a suffix, and so do its own results. */
export function suffixIds(request: WireRequest, faults: readonly CallFault[]): EditDraft[] {
  const taken = new TakenIds(request);
  const resultsOf = new Map(pairsOf(request).map(({ call, results }) => [call.block, results]));
  const counts = new Map<string, number>();
  return faults.flatMap(({ call }) => {
    const { id } = call.block;
    const nth = (counts.get(id) ?? 1) + 1;
    counts.set(id, nth);
    const renamed = taken.mint(`${id}_${nth}`, `${id}#${nth}`, call.row.index);
    const blocks = [call.block, ...(resultsOf.get(call.block) ?? []).map((result) => result.block)];
    return blocks.map((block): EditDraft => ({ op: "replace", path: idPathOf(block), value: renamed }));
  });
}

/** A call without a name or id gets fixed ones, on both sides. */
export function nameEmptyCalls(request: WireRequest, faults: readonly NameFault[]): EditDraft[] {
  if (!faults.some(({ path }) => path.startsWith(request.rowsPath))) return [];
  const taken = new TakenIds(request);
  const edits: EditDraft[] = faults.flatMap(({ emptyName }) =>
    emptyName === null ? [] : [{ op: "replace" as const, path: `${emptyName}/name`, value: "unnamed_tool" }],
  );
  const { openCalls } = pairingOf(request);
  for (const { call, results } of [...pairsOf(request), ...openCalls.map((open) => ({ call: open, results: [] }))]) {
    if (call.block.id !== "") continue;
    const id = taken.mint(`unnamed_${call.turn}`, call.block.path, call.row.index);
    for (const block of [call.block, ...results.map((result) => result.block)]) {
      edits.push({ op: "replace", path: idPathOf(block), value: id });
    }
  }
  return edits;
}

/** The ids of a history by the row in which each stands first, and the new ones. */
class TakenIds {
  readonly #rows = new Map<string, number>();
  readonly #minted = new Set<string>();

  constructor({ rows }: WireRequest) {
    for (const row of rows) {
      for (const block of idBlocks(row)) {
        const id = block.kind === "call" ? block.id : block.callId;
        if (!this.#rows.has(id)) this.#rows.set(id, row.index);
      }
    }
  }

  /** The row in which an id stands first. */
  rowOf(id: string): number {
    return this.#rows.get(id) ?? 0;
  }

  /** The wanted id if nothing up to the row has it and it is short enough, else one with a piece of the original's hash. */
  mint(wanted: string, original: string, row: number): string {
    let id = wanted;
    for (let salt = 0; id.length > ID_LENGTH_MAX || this.#isTaken(id, row); salt++) {
      const suffix = `_${hashOf(original, salt, 8)}`;
      id = wanted.slice(0, ID_LENGTH_MAX - suffix.length) + suffix;
    }
    this.#minted.add(id);
    return id;
  }

  /** A piece of the original's hash that nothing up to the row has. */
  mintHash(original: string, row: number, length: number): string {
    let [id, salt] = [hashOf(original, 0, length), 1];
    while (this.#isTaken(id, row)) id = hashOf(original, salt++, length);
    this.#minted.add(id);
    return id;
  }

  #isTaken(id: string, row: number): boolean {
    return this.#minted.has(id) || (this.#rows.get(id) ?? Number.POSITIVE_INFINITY) <= row;
  }
}

function hashOf(id: string, salt: number, length: number): string {
  return sha256Hex(`${id.toWellFormed()}#${salt}`).slice(0, length);
}

function idBlocks(row: Row): (ToolCall | ToolResult)[] {
  return row.blocks.filter((block) => block.kind === "call" || block.kind === "result");
}

/** Members that hold the id of a call, in any api; a call of its own has it in `id`. */
const ID_MEMBERS = ["tool_use_id", "tool_call_id", "call_id"];

/** Members of Bedrock's blocks, which hold the id inside. */
const WRAPPERS = ["toolUse", "toolResult"];

function idPathOf(block: ToolCall | ToolResult): string {
  const value = isObject(block.value) ? block.value : {};
  const wrapper = WRAPPERS.find((name) => name in value);
  if (wrapper !== undefined) return `${block.path}/${wrapper}/toolUseId`;
  return `${block.path}/${ID_MEMBERS.find((name) => name in value) ?? "id"}`;
}
