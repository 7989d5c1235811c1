/**
 * Our own texts in a whole request: in the words of every row and result, and in what stands in front of the history.
 * What the model wrote itself is left out: it may quote us.
 */
import { isObject, type JsonObject, listOf, type Row, type WireRequest } from "../wire/request.ts";
import { historyMemo } from "../wire/row-memo.ts";
import type { Occurrence, Receipt, ReceiptIndex } from "./receipt.ts";

export interface PlacedReceipt {
  readonly receipt: Receipt;
  /** Index of the row, or -1 in front of the history. */
  readonly row: number;
  readonly path: string;
  /** An agent may have read our text from a file: it is there, and it is not there twice by that. */
  readonly inResult: boolean;
}

/** What is found of an index in a history, row by row; a history that grew out of it is searched from there. */
interface Search {
  index: ReceiptIndex | null;
  rows: number;
  found: PlacedReceipt[];
}

const searchOf = historyMemo<Search>((_rows, earlier) => {
  if (earlier === null) return { index: null, rows: 0, found: [] };
  const { index, rows, found } = earlier.answer;
  return { index, rows: Math.min(rows, earlier.shared), found: found.filter(({ row }) => row < earlier.shared) };
});

export function findReceipts({ rows, body }: WireRequest, index: ReceiptIndex): readonly PlacedReceipt[] {
  if (index.isEmpty) return [];
  const search = searchOf(rows);
  if (search.index !== index) Object.assign(search, { index, rows: 0, found: [] });
  for (; search.rows < rows.length; search.rows++) {
    for (const receipt of findInRow(rows[search.rows]!, index)) search.found.push(receipt);
  }
  return [...headTexts(body).flatMap((text) => placed(text, -1, index.find(text.text))), ...search.found];
}

/** In rows by themselves, of a history that is not a request yet. */
export function findInRows(rows: readonly Row[], index: ReceiptIndex): readonly PlacedReceipt[] {
  return rows.flatMap((row) => findInRow(row, index));
}

function findInRow(row: Row, index: ReceiptIndex): PlacedReceipt[] {
  return textsOf(row).flatMap((text) => placed(text, row.index, index.find(text.text)));
}

function placed({ path, inResult }: PlacedText, row: number, found: readonly Occurrence[]): PlacedReceipt[] {
  return found.map(({ receipt }) => ({ receipt, row, path, inResult }));
}

/** Hashes of the texts that stand anywhere at all: every place of every text is looked at, for one that seems gone. */
export function idsAnywhere({ body, rows }: WireRequest, index: ReceiptIndex): ReadonlySet<string> {
  const texts = [...headTexts(body), ...rows.flatMap(textsOf)];
  return new Set(texts.flatMap(({ text }) => index.findAnywhere(text)).map(({ receipt }) => receipt.id));
}

interface PlacedText {
  readonly path: string;
  readonly text: string;
  readonly inResult: boolean;
}

function textsOf(row: Row): readonly PlacedText[] {
  if (row.role === "assistant") return [];
  return row.blocks.flatMap((block): readonly PlacedText[] => {
    const { path } = block;
    if (block.kind === "text") return [{ path, text: block.text, inResult: false }];
    if (block.kind !== "result" || !isObject(block.value)) return [];
    return resultTexts(block.value).map((text) => ({ path, text, inResult: true }));
  });
}

/** Members in which the apis keep the words of a result, at the depths at which they do. */
function resultTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(resultTexts);
  if (!isObject(value)) return [];
  return resultTexts(value.content ?? value.output ?? value.text ?? value.response);
}

/** System text beside the history, as each api names it. */
const HEADS = ["system", "instructions", "systemInstruction", "system_instruction"] as const;

function headTexts(body: JsonObject): readonly PlacedText[] {
  return HEADS.flatMap((name) => {
    const value = body[name];
    const blocks = isObject(value) ? listOf(value.parts) : typeof value === "string" ? [value] : listOf(value);
    const path = `/${name}`;
    return blocks.flatMap((block): PlacedText[] => {
      const text = isObject(block) ? block.text : block;
      return typeof text === "string" ? [{ path, text, inResult: false }] : [];
    });
  });
}
