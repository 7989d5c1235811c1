/**
 * A history row by row, as a guard expects to find it at the socket: each row of the host in its place, in the grouping of
 * the api. It knows nothing of what encoders move, rename, trim or add. Only labels of fixtures are made with it.
 */
import { contentText } from "../../src/dispatch/window.ts";
import type { Api } from "../../src/wire/api.ts";
import type { Block, Row } from "../../src/wire/request.ts";
import type { PlainRow } from "./positional-comparer.ts";

interface ProjectedRow extends PlainRow {
  readonly role: string;
  readonly content: readonly string[];
}

export function projectRows(api: Api, rows: readonly Row[]): readonly PlainRow[] {
  const first = rows.findIndex(({ role }) => role !== "system");
  const history = rows.slice(first === -1 ? rows.length : first);
  if (api === "anthropic-messages") return groupResults(history.map(projectRow));
  return api === "openai-completions" ? history.map(projectRow) : history.flatMap(projectBlocks);
}

function projectRow({ role, blocks }: Row): ProjectedRow {
  return { role, content: blocks.map(projectBlock).filter((words) => words !== "") };
}

/** A row for each item. */
function projectBlocks(row: Row): readonly ProjectedRow[] {
  const isUser = row.role === "user" || row.role === "system";
  return isUser ? [projectRow(row)] : row.blocks.map((block) => ({ role: row.role, content: [projectBlock(block)] }));
}

/** Results that follow each other are one user row. */
function groupResults(rows: readonly ProjectedRow[]): readonly ProjectedRow[] {
  const grouped: ProjectedRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.role !== "tool") grouped.push(row);
    else if (rows[index - 1]?.role !== "tool") grouped.push({ ...row, role: "user" });
    else grouped.push({ role: "user", content: [...grouped.pop()!.content, ...row.content] });
  }
  return grouped;
}

function projectBlock(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "thinking":
      return `thinking ${block.text}`;
    case "call":
      return `call ${idOf(block.id)} ${block.name} ${argumentsOf(block.input)}`;
    case "result":
      return `result ${idOf(block.callId)} ${contentText(block.value)}`;
    case "note":
      return typeof block.value === "string" ? block.value : block.type;
    default:
      return block.kind;
  }
}

/** Hosts keep both ids of a Responses call in one. */
function idOf(id: string): string {
  return id.split("|", 1)[0]!;
}

function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
