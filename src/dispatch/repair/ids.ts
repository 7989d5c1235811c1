/** Ids that are renamed on the call and on everything that answers it. */
import { sha256Hex } from "../../lib/sha256.ts";
import { isObject, type ToolCall, type ToolResult, type WireRequest } from "../../wire/request.ts";
import type { IdFault, NameFault } from "../detect/ids-anthropic.ts";
import type { CallFault } from "../detect/pairing-anthropic.ts";
import { pairingOf } from "../pairing.ts";
import type { EditDraft } from "../rule.ts";

const ID_LENGTH_MAX = 64;

/** Ids outside the pattern: one to one, so that two ids never become one; the same on every later turn. */
export function sanitiseIds(request: WireRequest, faults: readonly IdFault[]): EditDraft[] {
  const taken = new Set(idsOf(request));
  const names = new Map<string, string>();
  for (const { id } of faults) names.set(id, mint(id.replaceAll(/[^a-zA-Z0-9_-]/g, "_"), id, taken));
  return blocksOf(request).flatMap((block): EditDraft[] => {
    const renamed = names.get(block.kind === "call" ? block.id : block.callId);
    return renamed === undefined ? [] : [{ op: "replace", path: idPathOf(block), value: renamed }];
  });
}

/** A later call with a used id gets a suffix, and so do its own results. */
export function suffixIds(request: WireRequest, faults: readonly CallFault[]): EditDraft[] {
  const taken = new Set(idsOf(request));
  const resultsOf = new Map(pairingOf(request).pairs.map(({ call, results }) => [call, results]));
  const counts = new Map<string, number>();
  return faults.flatMap(({ call }) => {
    const { id } = call.block;
    const nth = (counts.get(id) ?? 1) + 1;
    counts.set(id, nth);
    const renamed = mint(`${id}_${nth}`, `${id}#${nth}`, taken);
    const blocks = [call.block, ...(resultsOf.get(call) ?? []).map((result) => result.block)];
    return blocks.map((block): EditDraft => ({ op: "replace", path: idPathOf(block), value: renamed }));
  });
}

/** A call without a name or id gets fixed ones, on both sides. */
export function nameEmptyCalls(request: WireRequest, faults: readonly NameFault[]): EditDraft[] {
  if (!faults.some(({ path }) => path.startsWith(request.rowsPath))) return [];
  const taken = new Set(idsOf(request));
  const edits: EditDraft[] = faults.flatMap(({ emptyName }) =>
    emptyName === null ? [] : [{ op: "replace" as const, path: `${emptyName}/name`, value: "unnamed_tool" }],
  );
  const { pairs, openCalls } = pairingOf(request);
  for (const { call, results } of [...pairs, ...openCalls.map((open) => ({ call: open, results: [] }))]) {
    if (call.block.id !== "") continue;
    const id = mint(`unnamed_${call.turn}`, call.block.path, taken);
    for (const block of [call.block, ...results.map((result) => result.block)]) {
      edits.push({ op: "replace", path: idPathOf(block), value: id });
    }
  }
  return edits;
}

/** The wanted id if it is free and short enough, else one with a piece of the original's hash. */
function mint(wanted: string, original: string, taken: Set<string>): string {
  let id = wanted;
  for (let salt = 0; id.length > ID_LENGTH_MAX || taken.has(id); salt++) {
    const suffix = `_${sha256Hex(`${original.toWellFormed()}#${salt}`).slice(0, 8)}`;
    id = wanted.slice(0, ID_LENGTH_MAX - suffix.length) + suffix;
  }
  taken.add(id);
  return id;
}

function blocksOf(request: WireRequest): (ToolCall | ToolResult)[] {
  return request.rows.flatMap((row) => row.blocks.filter((block) => block.kind === "call" || block.kind === "result"));
}

function idsOf(request: WireRequest): string[] {
  return blocksOf(request).map((block) => (block.kind === "call" ? block.id : block.callId));
}

/** Members that hold the id of a call, in any api; a call of its own has it in `id`. */
const ID_MEMBERS = ["tool_use_id", "tool_call_id", "call_id"];

function idPathOf(block: ToolCall | ToolResult): string {
  const value = isObject(block.value) ? block.value : {};
  return `${block.path}/${ID_MEMBERS.find((name) => name in value) ?? "id"}`;
}
