/** Neighbouring rows of one role are one turn for the provider: pairing is judged on turns. */
import type { Block, Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
import { rowMemo } from "../wire/row-memo.ts";

export interface Turn {
  readonly role: "user" | "assistant" | "other";
  readonly rows: readonly Row[];
  readonly blocks: readonly PlacedBlock[];
  readonly calls: readonly (PlacedBlock & { readonly block: ToolCall })[];
  readonly results: readonly (PlacedBlock & { readonly block: ToolResult })[];
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

/** System rows inside the history take no part in pairing and are left out. */
export function toTurns(request: WireRequest): readonly Turn[] {
  const turns: Turn[] = [];
  let rows: Row[] = [];
  for (const row of request.rows) {
    if (row.role === "system") continue;
    const before = rows.at(-1);
    if (before !== undefined && (roleOf(before) !== roleOf(row) || roleOf(row) === "other")) {
      turns.push(turnOf(rows));
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) turns.push(turnOf(rows));
  return turns;
}

function roleOf(row: Row): Turn["role"] {
  return row.role === "user" || row.role === "assistant" ? row.role : "other";
}

/** Nearly every turn is one row, which stays the same object from request to request. */
function turnOf(rows: readonly Row[]): Turn {
  return rows.length === 1 ? turnOfRow(rows[0]!) : readTurn(rows);
}

const turnOfRow = rowMemo((row) => readTurn([row]));

function readTurn(rows: readonly Row[]): Turn {
  const role = roleOf(rows[0]!);
  const blocks = rows.flatMap((row) => row.blocks.map((block, index): PlacedBlock => ({ block, row, index })));
  const end = blocks.findIndex(({ block }) => block.kind !== "result");
  return {
    role,
    rows,
    blocks,
    calls: blocks.filter((placed): placed is Turn["calls"][number] => placed.block.kind === "call"),
    results: blocks.filter((placed): placed is Turn["results"][number] => placed.block.kind === "result"),
    leadEnd: end === -1 ? blocks.length : end,
    opaque:
      role === "other" ||
      rows.some((row) => row.form === "other") ||
      blocks.some(({ block }) => block.kind === "opaque"),
  };
}
