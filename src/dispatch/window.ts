/**
 * Tool-call windows as the unit of comparison (DG-50, DG-51): the calls of one assistant turn with the results that
 * answer them, as a multiset. Where they stand in the history is not part of them.
 */
import { digestObserved } from "../lib/canonical-json-observed.ts";
import { isObject, type Row, type ToolCall, type ToolResult } from "../wire/request.ts";

export interface ToolWindow {
  /** JSON pointer of the first call. */
  readonly path: string;
  readonly calls: readonly WindowCall[];
}

export interface WindowCall {
  /** Compared without what an api's id mapping may change. */
  readonly id: string;
  /** Name and arguments. */
  readonly what: string;
  readonly results: readonly WindowResult[];
}

export interface WindowResult {
  readonly digest: string;
  /** Length of the content as text, to say how much of it was lost; 0 where it says nothing. */
  readonly characters: number;
}

/** The windows of a history in order. Results are looked for in all rows up to the next assistant row with calls. */
export function windowsOf(rows: readonly Row[]): readonly ToolWindow[] {
  const windows: ToolWindow[] = [];
  for (const [index, row] of rows.entries()) {
    const calls = row.blocks.filter((block): block is ToolCall => block.kind === "call");
    // Neighbouring rows with calls are one batch: some apis have a row for each call.
    const continues = rows[index - 1]?.blocks.some((block) => block.kind === "call") === true;
    if (calls.length === 0 || continues) continue;
    const batch = [...calls, ...furtherCalls(rows, index)];
    const results = resultsBehind(rows, index);
    windows.push({ path: calls[0]!.path, calls: batch.map((call) => toWindowCall(call, results)) });
  }
  return windows;
}

function furtherCalls(rows: readonly Row[], index: number): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const row of rows.slice(index + 1)) {
    const own = row.blocks.filter((block): block is ToolCall => block.kind === "call");
    if (own.length === 0) break;
    calls.push(...own);
  }
  return calls;
}

function resultsBehind(rows: readonly Row[], index: number): ToolResult[] {
  const results: ToolResult[] = [];
  let inBatch = true;
  for (const row of rows.slice(index + 1)) {
    const hasCalls = row.blocks.some((block) => block.kind === "call");
    if (hasCalls && !inBatch) break;
    inBatch &&= hasCalls;
    results.push(...row.blocks.filter((block): block is ToolResult => block.kind === "result"));
  }
  return results;
}

function toWindowCall(call: ToolCall, results: readonly ToolResult[]): WindowCall {
  const id = plainId(call.id);
  const input = typeof call.input === "string" ? parsed(call.input) : call.input;
  return {
    id,
    what: digest([call.name, input ?? null]),
    results: results.filter((result) => plainId(result.callId) === id).map(toWindowResult),
  };
}

function toWindowResult(result: ToolResult): WindowResult {
  const text = contentText(result.value);
  return { digest: digest(text), characters: text.trim() === "" ? 0 : text.length };
}

/** Hosts rename ids for an api: other characters, a suffix for a repeated one, a shorter form of a composite one. */
export function plainId(id: string): string {
  return id
    .split("|", 1)[0]!
    .replace(/_dup\d+$/, "")
    .replaceAll(/[^a-zA-Z0-9]/g, "");
}

/** The words of a result, whichever member and nesting an api has for them. */
function contentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return value
      .map(contentText)
      .filter((text) => text !== "")
      .join("\n");
  if (!isObject(value)) return "";
  const inner = value.content ?? value.output ?? value.text ?? value.response;
  return inner === undefined ? "" : contentText(inner);
}

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
