/**
 * Which call is answered by which tool message in Chat Completions: the run of tool messages directly behind an
 * assistant message answers it, in any order, and nothing may stand between.
 */
import type { Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";

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

const known = new WeakMap<WireRequest, ChatPairing>();

/** Computed once per request: several rules ask for it. */
export function chatPairingOf(request: WireRequest): ChatPairing {
  const earlier = known.get(request);
  if (earlier !== undefined) return earlier;
  const pairing = pair(request.rows);
  known.set(request, pairing);
  return pairing;
}

function pair(rows: readonly Row[]): ChatPairing {
  const open: Omit<ChatCall, "strayed">[] = [];
  const strays: Omit<ChatResult, "isFurther">[] = [];
  const called = new Map<string, number>();
  for (let at = 0; at < rows.length; ) {
    const calls = callsOf(rows[at]!);
    const runEnd = endOfRun(rows, at + 1);
    const run = rows.slice(at, runEnd).flatMap((row) => resultsOf(row, runEnd));
    if (!rows.slice(at, runEnd + 1).some(isOpaque)) {
      const answered = new Set(run.map(({ result }) => result.callId));
      const asked = new Set(calls.map((call) => call.id));
      open.push(...callsWithoutAnswer(calls, answered).map((call) => ({ call, row: rows[at]!, runEnd })));
      strays.push(...run.filter(({ result }) => !asked.has(result.callId)));
    }
    for (const call of calls) if (!called.has(call.id)) called.set(call.id, at);
    at = runEnd;
  }
  return { ...match(open, strays, called), unjudged: rows.filter(isOpaque).map((row) => row.path) };
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
  const end = rows.findIndex((row, index) => index >= start && row.role !== "tool");
  return end === -1 ? rows.length : end;
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
