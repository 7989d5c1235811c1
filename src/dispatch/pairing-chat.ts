/**
 * Which call is answered by which tool message in Chat Completions: the run of tool messages directly behind an
 * assistant message answers it, in any order, and nothing may stand between.
 */
import type { Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
import { type Earlier, historyMemo } from "../wire/row-memo.ts";

export interface ChatCall {
  readonly call: ToolCall;
  readonly row: Row;
  /** Index of the row behind the run of tool messages: where a missing one belongs. */
  readonly runEnd: number;
  /** A tool message for this call that stands further down. */
  readonly strayed: ChatResult | null;
}

export interface ChatResult {
  readonly result: ToolResult;
  readonly row: Row;
  /** Index of the row behind the run of tool messages that this one stands in. */
  readonly runEnd: number;
  /** An earlier call has its id. */
  readonly isFurther: boolean;
}

export interface ChatPairing {
  /** Calls without a tool message in their run. */
  readonly openCalls: readonly ChatCall[];
  /** Tool messages that answer no call, wherever it stands. */
  readonly orphans: readonly ChatResult[];
  /** Paths of rows that hold an unknown structure: the windows that they touch are not judged (DG-6). */
  readonly unjudged: readonly string[];
}

/** Computed once per history: several rules ask for it. */
export function chatPairingOf(request: WireRequest): ChatPairing {
  return matched(request.rows);
}

const matched = historyMemo<ChatPairing>((rows) => {
  const { open, strays, opaque } = runsOf(rows);
  const unjudged = opaque.map((row) => row.path);
  if (open.length === 0 && strays.length === 0) return { openCalls: [], orphans: [], unjudged };
  return { ...match(open, strays, firstCalls(rows)), unjudged };
});

/** A history cut into runs: a row and the tool messages directly behind it. */
interface Runs {
  /** Index of the first row of each run. */
  readonly starts: number[];
  /** Calls and results that their own run leaves alone. */
  readonly open: Omit<ChatCall, "strayed">[];
  readonly strays: Omit<ChatResult, "isFurther">[];
  readonly opaque: Row[];
}

const runsOf = historyMemo<Runs>((rows, earlier) => {
  const { starts, open, strays, opaque } = runsInFront(earlier);
  for (let at = nextStart(starts, rows); at < rows.length; at = nextStart(starts, rows)) {
    starts.push(at);
    const runEnd = endOfRun(rows, at + 1);
    const run = rows.slice(at, runEnd);
    for (const row of run) if (isOpaque(row)) opaque.push(row);
    // What stands behind the run decides with it whether anything is missing.
    if (rows.slice(at, runEnd + 1).some(isOpaque)) continue;
    const calls = callsOf(rows[at]!);
    const results = run.flatMap((row) => resultsOf(row, runEnd));
    const answered = new Set(results.map(({ result }) => result.callId));
    const asked = new Set(calls.map((call) => call.id));
    for (const call of callsWithoutAnswer(calls, answered)) open.push({ call, row: rows[at]!, runEnd });
    for (const stray of results) if (!asked.has(stray.result.callId)) strays.push(stray);
  }
  return { starts, open, strays, opaque };
});

/** The runs that an earlier history has and this one too, the row behind each of them included. */
function runsInFront(earlier: Earlier<Runs> | null): Runs {
  if (earlier === null) return { starts: [], open: [], strays: [], opaque: [] };
  const { answer, shared } = earlier;
  let runs = answer.starts.length;
  while (runs > 0 && (answer.starts[runs] ?? shared) >= shared) runs -= 1;
  const from = answer.starts[runs] ?? 0;
  const inFront = ({ row }: { readonly row: Row }) => row.index < from;
  return {
    starts: answer.starts.slice(0, runs),
    open: answer.open.filter(inFront),
    strays: answer.strays.filter(inFront),
    opaque: answer.opaque.filter((row) => row.index < from),
  };
}

function nextStart(starts: readonly number[], rows: readonly Row[]): number {
  const last = starts.at(-1);
  return last === undefined ? 0 : endOfRun(rows, last + 1);
}

function firstCalls(rows: readonly Row[]): ReadonlyMap<string, number> {
  const called = new Map<string, number>();
  for (const row of rows) for (const call of callsOf(row)) if (!called.has(call.id)) called.set(call.id, row.index);
  return called;
}

/** Each stray answers the nearest open call of its id in front of it. */
function match(
  open: readonly Omit<ChatCall, "strayed">[],
  strays: readonly Omit<ChatResult, "isFurther">[],
  called: ReadonlyMap<string, number>,
): Pick<ChatPairing, "openCalls" | "orphans"> {
  const openById = Map.groupBy(open, ({ call }) => call.id);
  const answers = new Map<Omit<ChatCall, "strayed">, ChatResult>();
  const orphans: ChatResult[] = [];
  for (const stray of strays) {
    const { callId } = stray.result;
    const own = openById.get(callId)?.findLast((one) => one.row.index < stray.row.index && !answers.has(one));
    const result = { ...stray, isFurther: (called.get(callId) ?? Number.POSITIVE_INFINITY) < stray.row.index };
    if (own === undefined) orphans.push(result);
    else answers.set(own, result);
  }
  return { openCalls: open.map((one) => ({ ...one, strayed: answers.get(one) ?? null })), orphans };
}

/** Two calls of one message that share an id are both answered by one tool message: nobody measured otherwise. */
function callsWithoutAnswer(calls: readonly ToolCall[], answered: ReadonlySet<string>): ToolCall[] {
  const seen = new Set(answered);
  return calls.filter((call) => {
    if (seen.has(call.id)) return false;
    seen.add(call.id);
    return true;
  });
}

function endOfRun(rows: readonly Row[], start: number): number {
  let end = start;
  while (rows[end]?.role === "tool") end += 1;
  return end;
}

function callsOf(row: Row): readonly ToolCall[] {
  return row.role === "assistant" ? row.blocks.filter((block) => block.kind === "call") : [];
}

function resultsOf(row: Row, runEnd: number): Omit<ChatResult, "isFurther">[] {
  return row.blocks.flatMap((result) => (result.kind === "result" ? [{ result, row, runEnd }] : []));
}

function isOpaque(row: Row): boolean {
  return row.role === "other" || row.blocks.some((block) => block.kind === "opaque");
}
