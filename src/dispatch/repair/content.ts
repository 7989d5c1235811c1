/** Edits that take blocks out of rows and put them elsewhere, so that no row is left empty and nothing is lost. */
import type { Row } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import type { EditDraft } from "../rule.ts";
import type { PlacedBlock, Turn } from "../turns.ts";

/** A place in a content list, or one in the history where a row of its own is needed. */
export interface Place {
  readonly path: string;
  readonly kind: "block" | "row";
}

export interface Rearrangement {
  readonly moves?: readonly { readonly block: PlacedBlock; readonly to: Place }[];
  readonly drops?: readonly PlacedBlock[];
  readonly inserts?: readonly { readonly value: unknown; readonly to: Place }[];
}

/** A row that would keep nothing goes as a whole; user blocks that need a row at one place share it. */
export function rearrange({ moves = [], drops = [], inserts = [] }: Rearrangement): EditDraft[] {
  const leaving = [...moves.map(({ block }) => block), ...drops];
  const receiving = [...moves, ...inserts].map(({ to }) => to.path);
  const emptied = emptiedRows(leaving, receiving);
  const edits: EditDraft[] = [...emptied].map((row) => ({ op: "drop", path: row.path }));
  for (const { block, row } of drops) if (!emptied.has(row)) edits.push({ op: "drop", path: block.path });
  const newRows = new Map<string, unknown[]>();
  const rowAt = (path: string): unknown[] => {
    if (!newRows.has(path)) newRows.set(path, []);
    return newRows.get(path)!;
  };
  for (const { block: placed, to } of moves) {
    if (to.kind === "block" && placed.row.form === "blocks") {
      edits.push({ op: "move", path: to.path, from: placed.block.path });
      continue;
    }
    if (!emptied.has(placed.row)) edits.push({ op: "drop", path: placed.block.path });
    if (to.kind === "block") edits.push({ op: "insert", path: to.path, value: carried(placed) });
    else rowAt(to.path).push(carried(placed));
  }
  for (const { value, to } of inserts) {
    if (to.kind === "block") edits.push({ op: "insert", path: to.path, value });
    else rowAt(to.path).push(value);
  }
  for (const [path, content] of newRows) edits.push({ op: "insert", path, value: { role: "user", content } });
  return edits;
}

/** The front of a turn, behind the results that lead it already. */
export function frontOf(turn: Turn): Place {
  const last = turn.blocks[turn.leadEnd - 1];
  if (last !== undefined) return { kind: "block", path: `${last.row.contentPath}/${last.index + 1}` };
  const first = turn.rows[0]!;
  // A string cannot take blocks, and rewriting it would touch what the user said: a row of its own goes in front.
  return first.form === "blocks"
    ? { kind: "block", path: `${first.contentPath}/0` }
    : { kind: "row", path: first.path };
}

/** Behind the last row of a turn. */
export function behind(turn: Turn): Place {
  const last = turn.rows.at(-1)!;
  return { kind: "row", path: `${last.path.slice(0, last.path.lastIndexOf("/"))}/${last.index + 1}` };
}

function emptiedRows(leaving: readonly PlacedBlock[], receiving: readonly string[]): Set<Row> {
  const counts = new Map<Row, number>();
  for (const { row } of leaving) counts.set(row, (counts.get(row) ?? 0) + 1);
  const emptied = [...counts].filter(
    ([row, count]) => count === row.blocks.length && !receiving.some((path) => path.startsWith(`${row.contentPath}/`)),
  );
  return new Set(emptied.map(([row]) => row));
}

/** A block in its own bytes; a string becomes the text block that it means. */
function carried({ block, row }: PlacedBlock): unknown {
  return row.form === "string" ? { type: "text", text: lift(block.path) } : lift(block.path);
}
