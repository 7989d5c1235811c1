/**
 * Which call is answered by which result, for the apis that pair turn by turn (Anthropic and its kin): results stand in
 * the next user turn, as one leading run, each id once. Every fault is found once and has one name.
 */
import type { ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
import { type PlacedBlock, type Turn, toTurns } from "./turns.ts";

export interface PlacedCall extends PlacedBlock {
  readonly block: ToolCall;
  /** Index of the assistant turn. */
  readonly turn: number;
}

export interface PlacedResult extends PlacedBlock {
  readonly block: ToolResult;
  readonly turn: number;
}

/** A call and the results that answer it; more than one is a fault. */
export interface Pair {
  readonly call: PlacedCall;
  readonly results: readonly PlacedResult[];
}

export interface Pairing {
  readonly turns: readonly Turn[];
  readonly pairs: readonly Pair[];
  readonly openCalls: readonly PlacedCall[];
  readonly orphanResults: readonly PlacedResult[];
  /** Results that answer a call but stand behind other content. */
  readonly lateResults: readonly PlacedResult[];
  /** Calls whose id an earlier call has. */
  readonly repeatedCalls: readonly PlacedCall[];
  /** Results in an assistant turn, calls in a user turn. */
  readonly misplaced: readonly (PlacedCall | PlacedResult)[];
  /** Paths of turns that were not judged because they hold an unknown structure. */
  readonly unjudged: readonly string[];
  /** Results that answer calls which only the provider holds. */
  readonly anchored: readonly string[];
}

const known = new WeakMap<WireRequest, Pairing>();

/** Computed once per request: many rules ask for it. */
export function pairingOf(request: WireRequest): Pairing {
  let pairing = known.get(request);
  if (pairing === undefined) {
    pairing = pair(toTurns(request), request.anchor !== null);
    known.set(request, pairing);
  }
  return pairing;
}

type Found = { -readonly [K in keyof Pairing]: Pairing[K] extends readonly (infer T)[] ? T[] : never };

/** @param anchored the provider holds what came before: results in the first user turn answer calls that it knows */
function pair(turns: readonly Turn[], anchored: boolean): Pairing {
  const found: Found = {
    turns: [...turns],
    pairs: [],
    openCalls: [],
    orphanResults: [],
    lateResults: [],
    repeatedCalls: [],
    misplaced: [],
    unjudged: [],
    anchored: [],
  };
  const idsSeen = new Set<string>();
  turns.forEach((turn, index) => {
    if (turn.opaque) found.unjudged.push(turn.rows[0]!.path);
    if (turn.role === "assistant") lookAtAssistant(turns, index, idsSeen, found);
    if (turn.role === "user") lookAtUser(turns, index, anchored && index === 0, found);
  });
  return found;
}

function lookAtAssistant(turns: readonly Turn[], index: number, idsSeen: Set<string>, found: Found): void {
  const turn = turns[index]!;
  for (const result of turn.results) found.misplaced.push({ ...result, turn: index });
  if (turn.calls.length === 0) return;
  const calls = turn.calls.map((call): PlacedCall => ({ ...call, turn: index }));
  for (const call of calls) {
    if (call.block.id !== "" && idsSeen.has(call.block.id)) found.repeatedCalls.push(call);
    idsSeen.add(call.block.id);
  }
  if (isOpaqueWindow(turns, index)) return;
  const answers = turns[index + 1]?.role === "user" ? turns[index + 1]!.results : [];
  calls.forEach((call, nth) => {
    const own = answersTo(call, calls, nth, answers);
    if (own.length === 0) found.openCalls.push(call);
    else found.pairs.push({ call, results: own.map((result) => ({ ...result, turn: index + 1 })) });
  });
}

/** The n-th call of an id is answered by the n-th result of it; what is left over answers the last one. */
function answersTo(call: PlacedCall, calls: readonly PlacedCall[], nth: number, answers: Turn["results"]) {
  const { id } = call.block;
  const results = answers.filter((result) => result.block.callId === id);
  const before = calls.slice(0, nth).filter((other) => other.block.id === id).length;
  const isLast = !calls.slice(nth + 1).some((other) => other.block.id === id);
  return results.slice(before, isLast ? undefined : before + 1);
}

function lookAtUser(turns: readonly Turn[], index: number, anchored: boolean, found: Found): void {
  const turn = turns[index]!;
  for (const call of turn.calls) found.misplaced.push({ ...call, turn: index });
  if (turn.results.length === 0) return;
  if (anchored) {
    found.anchored.push(...turn.results.map((result) => result.block.path));
    return;
  }
  if (isOpaqueWindow(turns, index - 1)) return;
  const before = turns[index - 1];
  const called = before?.role === "assistant" ? before.calls : [];
  turn.results.forEach((result, nth) => {
    const placed: PlacedResult = { ...result, turn: index };
    if (!called.some((call) => call.block.id === result.block.callId)) found.orphanResults.push(placed);
    // The first `leadEnd` blocks are results, so the first `leadEnd` results lead.
    else if (nth >= turn.leadEnd) found.lateResults.push(placed);
  });
}

/** An unknown structure in a turn or in the one that answers it takes the whole window out of judgement. */
function isOpaqueWindow(turns: readonly Turn[], assistant: number): boolean {
  return turns[assistant]?.opaque === true || turns[assistant + 1]?.opaque === true;
}
