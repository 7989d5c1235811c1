/**
 * Tool-call windows as the unit of comparison (DG-50, DG-51): the calls of one assistant turn with the results that
 * answer them, as a multiset. Where they stand in the history is not part of them.
 */
import { digestObserved } from "../lib/canonical-json-observed.ts";
import { type Block, isObject, type Row, type ToolCall, type ToolResult } from "../wire/request.ts";

export interface ToolWindow {
  /** JSON pointer of the first call. */
  readonly path: string;
  readonly calls: readonly WindowCall[];
}

export interface WindowCall {
  /** Compared without what an api's id mapping may change. */
  readonly id: string;
  /** Whether the id is one: where an api has none, the name stands for it. */
  readonly hasId: boolean;
  /** Name and arguments. */
  readonly what: string;
  readonly results: readonly WindowResult[];
}

export interface WindowResult {
  /** Its words: comparing two of them costs less than hashing one. */
  readonly text: string;
  /** Length of the text without the white space around it, to say how much was lost; 0 where it says nothing. */
  readonly characters: number;
}

/** The windows of a history in order. Results are looked for in all rows up to the next assistant row with calls. */
export function windowsOf(rows: readonly Row[]): readonly ToolWindow[] {
  const windows: ToolWindow[] = [];
  for (let at = 0; at < rows.length; ) {
    const batchEnd = endOf(rows, at, hasCalls);
    if (batchEnd === at) {
      at += 1;
      continue;
    }
    // Neighbouring rows with calls are one batch: some apis have a row for each call.
    const end = endOf(rows, batchEnd, (row) => !hasCalls(row));
    const calls = blocksOf(rows, at, batchEnd, "call");
    const results = blocksOf(rows, at, end, "result");
    windows.push({ path: calls[0]!.path, calls: toWindowCalls(calls, results) });
    at = batchEnd;
  }
  return windows;
}

function endOf(rows: readonly Row[], start: number, belongs: (row: Row) => boolean): number {
  let end = start;
  while (end < rows.length && belongs(rows[end]!)) end += 1;
  return end;
}

function hasCalls(row: Row): boolean {
  return row.blocks.some((block) => block.kind === "call");
}

function blocksOf<K extends "call" | "result">(
  rows: readonly Row[],
  start: number,
  end: number,
  kind: K,
): Extract<Block, { kind: K }>[] {
  const found: Extract<Block, { kind: K }>[] = [];
  for (let at = start; at < end; at++) {
    for (const block of rows[at]!.blocks) if (block.kind === kind) found.push(block as Extract<Block, { kind: K }>);
  }
  return found;
}

/** Results that are in no window: their call is gone, or stands behind them. */
export function strayResultsOf(rows: readonly Row[]): readonly ToolResult[] {
  const strays: ToolResult[] = [];
  let open = new Set<string>();
  for (let at = 0; at < rows.length; at++) {
    if (hasCalls(rows[at]!)) {
      const ids = blocksOf(rows, at, at + 1, "call").map(({ id }) => plainId(id));
      open = new Set(at > 0 && hasCalls(rows[at - 1]!) ? [...open, ...ids] : ids);
    }
    for (const result of blocksOf(rows, at, at + 1, "result"))
      if (!open.has(plainId(result.callId))) strays.push(result);
  }
  return strays;
}

function toWindowCalls(calls: readonly ToolCall[], results: readonly ToolResult[]): readonly WindowCall[] {
  const answers = Map.groupBy(results, ({ callId }) => plainId(callId));
  const asked = Map.groupBy(calls, ({ id }) => plainId(id));
  return calls.map((call) => {
    const own = answers.get(plainId(call.id)) ?? [];
    const alike = asked.get(plainId(call.id))!;
    // Calls of one name without ids: as many results answer them in order.
    const inOrder = alike.length > 1 && alike.length === own.length;
    return toWindowCall(call, inOrder ? [own[alike.indexOf(call)]!] : own);
  });
}

function toWindowCall(call: ToolCall, results: readonly ToolResult[]): WindowCall {
  const input = typeof call.input === "string" ? parsed(call.input) : call.input;
  return {
    id: plainId(call.id),
    hasId: call.id !== call.name,
    what: digest([call.name, input ?? null]),
    results: results.map(toWindowResult),
  };
}

function toWindowResult(result: ToolResult): WindowResult {
  const text = contentText(result.value);
  return { text, characters: text.trim().length };
}

/** What stays of an id in every api's spelling of it: other characters, or the first part of a composite one. */
export function plainId(id: string): string {
  return id.split("|", 1)[0]!.replaceAll(/[^a-zA-Z0-9]/g, "");
}

/** The words of a result, whichever member and nesting an api has for them. */
export function contentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return value
      .map(contentText)
      .filter((text) => text !== "")
      .join("\n");
  if (!isObject(value)) return "";
  const inner = MEMBERS.find((name) => value[name] != null);
  return inner === undefined ? "" : contentText(value[inner]);
}

/** What holds the words of a result, or the object that does. */
const MEMBERS = [
  "content",
  "output",
  "text",
  "response",
  "error",
  "functionResponse",
  "function_response",
  "toolResult",
];

/** Arguments are an object on one api and its JSON text on another. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Expected: arguments that a model wrote need not be JSON.
    return text;
  }
}

function digest(value: unknown): string {
  return digestObserved(value, () => Buffer.from(JSON.stringify(value) ?? ""));
}
