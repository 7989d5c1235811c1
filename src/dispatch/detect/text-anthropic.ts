/** Empty text, white space at the end, broken characters. */

import { toPointer } from "../../lib/json-pointer.ts";
import { isObject, type JsonObject, type Row, type TextBlock, type WireRequest } from "../../wire/request.ts";
import { boundThinking } from "../models.ts";
import type { Fault } from "../rule.ts";
import { perObject, perRow } from "./per-row.ts";

export interface EmptyTextFault extends Fault {
  readonly row: Row;
  /** Index of the empty block, or null where the row as a whole has no content. */
  readonly index: number | null;
  readonly betweenThinking: boolean;
}

export interface BrokenTextFault extends Fault {
  /** The text as it should be, or null where it cannot be replaced: a member name, a signed block. */
  readonly wellFormed: string | null;
}

/** Blank text in user and assistant rows. The last row may be an empty assistant row; system rows may carry settings only. */
export function emptyTexts(request: WireRequest): EmptyTextFault[] {
  const separatorsBind = boundThinking(request.model);
  const last = request.rows.at(-1);
  return emptyTextsOfRows(request).filter(({ row, index, betweenThinking }) => {
    if (betweenThinking && separatorsBind) return false;
    return !(row === last && row.role === "assistant" && index === null);
  });
}

const emptyTextsOfRows = perRow((row): EmptyTextFault[] => {
  if (row.role !== "user" && row.role !== "assistant") return [];
  if (isEmptyRow(row)) return [emptyRow(row)];
  return row.blocks.flatMap((block, index) => {
    if (block.kind !== "text" || !isBlank(block)) return [];
    const betweenThinking = row.blocks[index - 1]?.kind === "thinking" && row.blocks[index + 1]?.kind === "thinking";
    return [{ path: block.path, message: "a text block is empty", row, index, betweenThinking }];
  });
});

function emptyRow(row: Row): EmptyTextFault {
  return { path: row.contentPath, message: "a message has no content", row, index: null, betweenThinking: false };
}

/** A row of which nothing would be left without its blank texts. */
export function isEmptyRow(row: Row): boolean {
  if (row.form === "other") return false;
  return row.blocks.every((block) => block.kind === "text" && isBlank(block));
}

function isBlank(block: TextBlock): boolean {
  return block.text.trim() === "" && typeof (isObject(block.value) ? block.value.text : block.value) === "string";
}

export interface TrailingSpaceFault extends Fault {
  readonly row: Row;
  readonly text: TextBlock;
}

/** The last row is an assistant row whose text ends with white space. */
export function trailingSpace(request: WireRequest): TrailingSpaceFault[] {
  // The provider merges rows of one role: an empty last one hides nothing.
  const row = request.rows.findLast(({ role, blocks }) => role !== "assistant" || blocks.length > 0);
  const text = row?.role === "assistant" ? row.blocks.at(-1) : undefined;
  if (row === undefined || text?.kind !== "text" || text.text === text.text.trimEnd()) return [];
  return [{ path: textPathOf(text), message: "the last assistant message ends with white space", row, text }];
}

/** JSON pointer of the string itself. */
export function textPathOf(text: TextBlock): string {
  return typeof text.value === "string" ? text.path : `${text.path}/text`;
}

/** Strings with half a surrogate pair or a NUL, wherever they stand in the body. */
export function brokenTexts(request: WireRequest): BrokenTextFault[] {
  const rowsName = request.rowsPath.slice(1);
  const faults: BrokenTextFault[] = brokenTextsOfRows(request);
  for (const [name, member] of Object.entries(request.body)) {
    if (name === rowsName && request.rows.length > 0) continue;
    const broken = typeof member === "object" ? brokenObject(member).length > 0 : hasBroken({ [name]: member });
    if (broken) walk(member, [name], false, faults);
  }
  return faults;
}

const brokenTextsOfRows = perRow((row) => {
  const faults: BrokenTextFault[] = [];
  if (hasBroken(row.value)) walk(row.value, [row.path.split("/")[1]!, row.index], false, faults);
  return faults;
});

const brokenObject = perObject((value) => (hasBroken(value) ? [value] : []));

/** Paths are built only for a body that has such a string: nearly none has. */
function hasBroken(value: unknown): boolean {
  if (typeof value === "string") return isBroken(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasBroken);
  for (const [name, member] of Object.entries(value)) if (isBroken(name) || hasBroken(member)) return true;
  return false;
}

function walk(value: unknown, path: (string | number)[], sealed: boolean, faults: BrokenTextFault[]): void {
  if (typeof value === "string" && isBroken(value)) {
    faults.push({
      path: toPointer(path),
      message: value.includes("\0") ? "a string holds a NUL character" : "a string holds half of a surrogate pair",
      wellFormed: sealed ? null : wellFormed(value),
    });
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      walk(item, [...path, index], sealed, faults);
    });
  } else if (isObject(value)) walkMembers(value, path, sealed, faults);
}

function walkMembers(value: JsonObject, path: (string | number)[], sealed: boolean, faults: BrokenTextFault[]): void {
  const signed = sealed || value.type === "thinking" || value.type === "redacted_thinking";
  for (const [name, member] of Object.entries(value)) {
    if (isBroken(name)) {
      faults.push({ path: toPointer(path), message: "a member name holds a broken character", wellFormed: null });
    }
    if (typeof member !== "number" && typeof member !== "boolean") walk(member, [...path, name], signed, faults);
  }
}

function isBroken(text: string): boolean {
  return !text.isWellFormed() || text.includes("\0");
}

function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}
