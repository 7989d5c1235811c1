/** Neighbouring rows of one role are one turn for the provider: pairing is judged on turns. */
import type { Block, Row, ToolCall, ToolResult } from "../wire/request.ts";

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

/**
 * System rows inside the history take no part in pairing and are left out. One in front of an assistant row still parts it
 * from another: what belongs between the two, a result that is missing, has its place before the system row.
 */
export function toTurns(history: readonly Row[]): readonly Turn[] {
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
