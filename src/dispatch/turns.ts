/** Neighbouring rows of one role are one turn for the provider: pairing is judged on turns. */
import type { Block, Row, ToolCall, ToolResult } from "../wire/request.ts";

export interface Turn {
  readonly role: "user" | "assistant" | "other";
  readonly rows: readonly Row[];
  readonly blocks: readonly PlacedBlock[];
  readonly calls: readonly PlacedToolCall[];
  readonly results: readonly PlacedToolResult[];
  /** How many blocks at the front of the turn are results. */
  readonly leadEnd: number;
  /** Holds a structure that this version does not know; its windows are never hard (DG-6). */
  readonly opaque: boolean;
}

export interface PlacedBlock {
  readonly block: Block;
  readonly row: Row;
  /** Index in the row's content list. */
  readonly index: number;
}

interface PlacedToolCall extends PlacedBlock {
  readonly block: ToolCall;
}

interface PlacedToolResult extends PlacedBlock {
  readonly block: ToolResult;
}

/**
 * System rows inside the history take no part in pairing and are left out. One in front of an assistant row still parts it
 * from another: what belongs between the two, a result that is missing, has its place before the system row.
 */
export function toTurns(history: readonly Row[]): Turn[] {
  const turns: Turn[] = [];
  let rows: Row[] = [];
  for (const row of history) {
    if (row.role === "system") continue;
    const before = rows.at(-1);
    const role = roleOf(row);
    const parted = role === "assistant" && before !== undefined && before.index < row.index - 1;
    if (before !== undefined && (roleOf(before) !== role || role === "other" || parted)) {
      turns.push(readTurn(rows));
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) turns.push(readTurn(rows));
  return turns;
}

function roleOf(row: Row): Turn["role"] {
  return row.role === "user" || row.role === "assistant" ? row.role : "other";
}

/** One pass with plain loops: every turn of a long session reads some anew. */
function readTurn(rows: readonly Row[]): Turn {
  const role = roleOf(rows[0]!);
  const blocks: PlacedBlock[] = [];
  const calls: PlacedToolCall[] = [];
  const results: PlacedToolResult[] = [];
  let leadEnd = 0;
  let opaque = role === "other";
  for (const row of rows) {
    if (row.form === "other") opaque = true;
    for (let index = 0; index < row.blocks.length; index++) {
      const placed: PlacedBlock = { block: row.blocks[index]!, row, index };
      if (isCall(placed)) calls.push(placed);
      else if (isResult(placed)) {
        if (leadEnd === blocks.length) leadEnd += 1;
        results.push(placed);
      } else if (placed.block.kind === "opaque") opaque = true;
      blocks.push(placed);
    }
  }
  return { role, rows, blocks, calls, results, leadEnd, opaque };
}

function isCall(placed: PlacedBlock): placed is PlacedToolCall {
  return placed.block.kind === "call";
}

function isResult(placed: PlacedBlock): placed is PlacedToolResult {
  return placed.block.kind === "result";
}
