/**
 * Repairs of the tail that must be made again when the tail has become history (DG-25, DG-26): the fault is gone by then,
 * but the provider's cache holds the repaired bytes. A recipe says what to do behind which row, never with which bytes.
 */

import type { Row, WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import { textPathOf } from "./detect/text-anthropic.ts";
import { rearrange } from "./repair/content.ts";
import { continueText } from "./repair/wording.ts";
import type { RowHashes } from "./row-chain.ts";
import type { EditDraft, Rule } from "./rule.ts";

/** What is done to the row at the anchor: the closed list. */
export type RecipeKind = "continue_row" | "trim_end" | "drop_thinking";

export interface Recipe {
  readonly v: 1;
  /** Keyed chain hash behind the row that was the last one. */
  readonly anchor: string;
  readonly rule: string;
  readonly kind: RecipeKind;
}

/** Recipes for the rules that repaired the tail of this request. */
export function recipesFor(rules: readonly Rule[], chain: RowHashes): readonly Recipe[] {
  const anchor = chain.hashes.at(-1);
  if (anchor === undefined) return [];
  return rules.flatMap((rule): Recipe[] => {
    const kind = rule.repair?.recipe;
    return kind === undefined ? [] : [{ v: 1, anchor, rule: rule.id, kind }];
  });
}

/** Edits for the recipes whose anchor lies inside this history, with the model's reply behind it. */
export function replayEdits(
  request: WireRequest,
  chain: RowHashes,
  recipesAt: (anchor: string) => readonly Recipe[],
): readonly RequestEdit[] {
  return request.rows.slice(0, -1).flatMap((row, index) => {
    // Without a reply next to it the repaired request was never answered, or its answer is not in this history.
    if (row.role !== "assistant" || request.rows[index + 1]?.role !== "assistant") return [];
    return recipesAt(chain.hashes[index]!).flatMap(({ kind, rule }) =>
      STEPS[kind](request, row).map((draft): RequestEdit => ({ ...draft, rule, changes: "shape" })),
    );
  });
}

/** Recipes whose row is followed by something else than the model's reply: that history was never repaired. */
export function lapsedRecipes(
  { rows }: WireRequest,
  chain: RowHashes,
  recipesAt: (anchor: string) => readonly Recipe[],
  from: number,
): readonly Recipe[] {
  return rows.slice(from).flatMap(({ role, index }) => {
    const before = rows[index - 1];
    if (before?.role !== "assistant" || role === "assistant") return [];
    return recipesAt(chain.hashes[index - 1]!);
  });
}

const STEPS: Record<RecipeKind, (request: WireRequest, row: Row) => readonly EditDraft[]> = {
  continue_row: (request, row) => [
    { op: "insert", path: `${request.rowsPath}/${row.index + 1}`, value: { role: "user", content: continueText } },
  ],
  trim_end: (_request, row) => {
    const text = row.blocks.at(-1);
    if (text?.kind !== "text" || text.text === text.text.trimEnd() || text.text.trimEnd() === "") return [];
    return [{ op: "replace", path: textPathOf(text), value: text.text.trimEnd() }];
  },
  drop_thinking: (_request, row) => {
    const thinking = row.blocks.flatMap((block, index) => (block.kind === "thinking" ? [{ block, row, index }] : []));
    return thinking.length === row.blocks.length ? [] : rearrange({ drops: thinking });
  },
};
