/** Rows that a strict chat template takes: neighbours become one, and where none can, a fixed row stands between. */
import { type Row, stringOf, type WireRequest } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import { isCalling, type TemplateFault } from "../detect/template-chat.ts";
import type { EditDraft } from "../rule.ts";
import { continueText, noAnswerText, rowSeparator, systemNoteText } from "./wording.ts";

/** System rows first: once they are the user's, the next sweep sees the turns as they are. */
export function fitTemplate(request: WireRequest, faults: readonly TemplateFault[]): EditDraft[] {
  const late = faults.filter(({ what }) => what === "late-system").map(({ row }) => row);
  return late.length > 0 ? placeSystemRows(request, late) : takeTurns(request, faults);
}

/** System rows behind the first one join it; later ones become the user's, in a fixed frame. */
function placeSystemRows(request: WireRequest, late: readonly Row[]): EditDraft[] {
  const headEnd = request.rows.findIndex((row) => row.role !== "system");
  const head = request.rows.slice(0, headEnd === -1 ? request.rows.length : headEnd);
  const joined = head.length > 1 && head.every(canMerge) ? mergeRows(head) : [];
  return [...joined, ...late.filter((row) => !head.includes(row)).flatMap(demote)];
}

function demote(row: Row): EditDraft[] {
  if (!canMerge(row) || row.blocks.some((block) => block.kind !== "text")) return [];
  const words = row.blocks.map((block) => (block.kind === "text" ? block.text : "")).filter((text) => text !== "");
  if (words.length === 0) return [{ op: "drop", path: row.path }];
  return [{ op: "replace", path: row.path, value: { role: "user", content: systemNoteText(words.join("\n")) } }];
}

function takeTurns(request: WireRequest, faults: readonly TemplateFault[]): EditDraft[] {
  const groups = new Map<Row, Row[]>();
  const edits: EditDraft[] = [];
  for (const { row, before } of faults) {
    const next = before === null ? undefined : request.rows[before.index + 1];
    if (before !== null && next === row && canMerge(before) && canMerge(row)) {
      const group = groups.get(before) ?? [before];
      group.push(row);
      groups.set(before, group).set(row, group);
    } else if (
      row.role === "assistant" &&
      before !== null &&
      next !== undefined &&
      isCalling(next) &&
      canMerge(before)
    ) {
      // Where the words in front are merged in this sweep, the next one takes the result into the row that calls.
      if (!groups.has(before)) edits.push(...mergeIntoCalls(before, next));
    } else edits.push({ op: "insert", path: row.path, value: bridgeTo(row) });
  }
  return [...edits, ...[...new Set(groups.values())].flatMap(mergeRows)];
}

/** Rows that carry nothing but words and pictures: what else they say would be lost. */
function canMerge(row: Row): boolean {
  if (row.form === "other" || row.blocks.some((block) => block.kind === "opaque")) return false;
  return Object.keys(row.value).every((name) => name === "role" || name === "content");
}

/** The first row takes the content of the others. */
function mergeRows(rows: readonly Row[]): EditDraft[] {
  const [first, ...others] = rows;
  return [putContent(first!, joinContents(rows)), ...others.map((row): EditDraft => ({ op: "drop", path: row.path }))];
}

/** What the assistant said in front of its calls goes into the row that calls. */
function mergeIntoCalls(said: Row, calling: Row): EditDraft[] {
  if (calling.form === "other") return [];
  return [putContent(calling, joinContents([said, calling])), { op: "drop", path: said.path }];
}

function putContent(row: Row, value: unknown): EditDraft {
  return { op: row.form === "absent" ? "insert" : "replace", path: row.contentPath, value };
}

/** One string where all are strings; else a list of parts, those that are parts already in their own bytes. */
function joinContents(rows: readonly Row[]): unknown {
  const filled = rows.filter((row) => row.form === "string" || row.form === "blocks");
  if (filled.every((row) => row.form === "string")) {
    const words = filled.map((row) => stringOf(row.value.content)).filter((text) => text !== "");
    return words.join(rowSeparator);
  }
  return filled.flatMap((row): unknown[] => {
    if (row.form === "string") return row.value.content === "" ? [] : [{ type: "text", text: row.value.content }];
    return (row.value.content as readonly unknown[]).map((_, index) => lift(`${row.contentPath}/${index}`));
  });
}

function bridgeTo(row: Row): unknown {
  return row.role === "user" ? { role: "assistant", content: noAnswerText } : { role: "user", content: continueText };
}
