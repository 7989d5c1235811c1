/** Calls and responses of a Gemini history: content by content, and by number, because ids are mostly left out. */
import type { Row, ToolCall, ToolResult, WireRequest } from "../../wire/request.ts";
import { searchNeighbours } from "../../wire/row-memo.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

export interface CountFault extends Fault {
  /** The content with the calls. */
  readonly row: Row;
}

export interface ContentFault extends Fault {
  readonly row: Row;
}

/** Calls that are answered by fewer or more responses than they are, in the one content behind them. */
export function unequalCounts({ rows }: WireRequest): CountFault[] {
  return unequalCountsOf(rows);
}

const unequalCountsOf = searchNeighbours((row, _before, behind): CountFault[] => {
  const calls = callsIn(row);
  if (row.role !== "assistant" || calls.length === 0 || isUnknown(row) || isUnknown(behind)) return [];
  const answers = behind?.role === "user" ? resultsIn(behind).length : 0;
  if (answers === calls.length) return [];
  return [
    { path: row.contentPath, message: `${calls.length} function calls are followed by ${answers} responses`, row },
  ];
});

/** Responses that stand behind no call. */
export function strayResponses({ rows, anchor }: WireRequest): ContentFault[] {
  return strayResponsesOf(rows).filter(({ row }) => !isAnchored(row, anchor) && !goesOn(rows, row));
}

const strayResponsesOf = searchNeighbours((row, before): ContentFault[] => {
  if (row.role !== "user" || resultsIn(row).length === 0 || isUnknown(row) || isUnknown(before)) return [];
  if (before?.role === "assistant" && callsIn(before).length > 0) return [];
  return [{ path: row.contentPath, message: "function responses stand behind no function call", row }];
});

/** Where calls are answered by too few, the others may stand in the contents behind: that is a matter of their number. */
function goesOn(rows: readonly Row[], row: Row): boolean {
  let at = row.index - 1;
  while (rows[at]?.role === "user" && isResponsesOnly(rows[at]!)) at -= 1;
  const [caller, answers] = [rows[at], rows[at + 1]];
  if (caller?.role !== "assistant" || answers === undefined || answers === row) return false;
  return resultsIn(answers).length < callsIn(caller).length;
}

/** Calls in a content that does not follow one of the user. */
export function earlyCalls({ rows, anchor }: WireRequest): ContentFault[] {
  return earlyCallsOf(rows).filter(({ row }) => !isAnchored(row, anchor));
}

const earlyCallsOf = searchNeighbours((row, before): ContentFault[] => {
  if (row.role !== "assistant" || callsIn(row).length === 0) return [];
  if (before !== undefined && before.role !== "assistant") return [];
  return [{ path: row.contentPath, message: "function calls stand behind no content of the user", row }];
});

/** Paths of contents that hold a structure that this version does not know. */
export const unknownContents = perRow((row) => (isUnknown(row) ? [row.path] : []));

export function callsIn(row: Row): ToolCall[] {
  return row.blocks.filter((block) => block.kind === "call");
}

export function resultsIn(row: Row): ToolResult[] {
  return row.blocks.filter((block) => block.kind === "result");
}

export function isResponsesOnly(row: Row): boolean {
  return row.blocks.length > 0 && row.blocks.every((block) => block.kind === "result");
}

/** What the first content follows may lie in the provider's cache. */
function isAnchored(row: Row, anchor: WireRequest["anchor"]): boolean {
  return anchor !== null && row.index === 0;
}

/** A structure that this version does not know may hold the other half (DG-6). */
function isUnknown(row: Row | undefined): boolean {
  if (row === undefined) return false;
  return row.role === "other" || row.blocks.some((block) => block.kind === "opaque" && block.type !== "");
}
