/** Reasoning items of a Responses input. */
import type { Row, WireRequest } from "../../wire/request.ts";
import { historyMemo } from "../../wire/row-memo.ts";
import type { ItemFault } from "./items-responses.ts";
import { perRow } from "./per-row.ts";

/**
 * Reasoning whose follower is gone: behind it stands no call, no word of the assistant, no more reasoning.
 * @param named whether items with an id are asked for; without one an item is a fresh one, and nothing shows what it led to
 */
export function reasoningAlone({ rows, anchor }: WireRequest, named: boolean): ItemFault[] {
  if (anchor !== null) return [];
  return loneReasoning(rows)
    .filter((row) => hasId(row) === named)
    .map((row) => ({ path: row.path, message: "nothing that this reasoning item led to follows", row }));
}

const loneReasoning = historyMemo<Row[]>((rows, earlier) => {
  let from = earlier?.shared ?? 0;
  // What follows the last ones is new.
  while (from > 0 && isReasoning(rows[from - 1]!)) from -= 1;
  const lone: Row[] = [];
  let follower: Row | undefined;
  for (const row of rows.slice(from).toReversed()) {
    if (!isReasoning(row)) follower = row;
    else if (follower === undefined || !isAnswer(follower)) lone.push(row);
  }
  return [...(earlier?.answer ?? []).filter((row) => row.index < from), ...lone.toReversed()];
});

/** A structure that takes no part in the talk may hide the follower. */
function isAnswer(row: Row): boolean {
  return row.role === "assistant" || row.role === "other" || row.blocks[0]?.kind === "note";
}

/** Reasoning whose text stands open in `content`: other servers send it so. */
export const openReasoning = perRow((row): ItemFault[] => {
  const { content } = row.value;
  if (!isReasoning(row) || !Array.isArray(content) || content.length === 0) return [];
  return [{ path: `${row.path}/content`, message: "a reasoning item carries content", row }];
});

/** Reasoning by its id alone, in a request that says that nothing is kept. */
export function unstoredReasoning(request: WireRequest): ItemFault[] {
  return request.body.store !== false || request.anchor !== null ? [] : namedReasoning(request);
}

const namedReasoning = perRow((row): ItemFault[] => {
  const [block] = row.blocks;
  if (block?.kind !== "thinking" || !isReasoning(row) || !hasId(row) || (block.seal ?? "") !== "") return [];
  const message = `the reasoning item ${row.value.id} has no encrypted_content, and store is false`;
  return [{ path: row.path, message, row }];
});

export function isReasoning(row: Row): boolean {
  return row.value.type === "reasoning";
}

function hasId(row: Row): boolean {
  return typeof row.value.id === "string" && row.value.id !== "";
}
