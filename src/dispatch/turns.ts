/** Neighbouring rows of one role are one turn for the provider: pairing is judged on turns. */
import type { Block, Row, WireRequest } from "../wire/request.ts";

export interface Turn {
  readonly role: "user" | "assistant" | "other";
  readonly rows: readonly Row[];
  readonly blocks: readonly PlacedBlock[];
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
  const turns: { role: Turn["role"]; rows: Row[]; blocks: PlacedBlock[]; opaque: boolean }[] = [];
  for (const row of request.rows) {
    if (row.role === "system") continue;
    const role = row.role === "user" || row.role === "assistant" ? row.role : "other";
    let turn = turns.at(-1);
    if (turn === undefined || turn.role !== role || role === "other") {
      turn = { role, rows: [], blocks: [], opaque: role === "other" };
      turns.push(turn);
    }
    turn.rows.push(row);
    row.blocks.forEach((block, index) => {
      turn.blocks.push({ block, row, index });
      if (block.kind === "opaque") turn.opaque = true;
    });
    if (row.form === "other") turn.opaque = true;
  }
  return turns;
}
