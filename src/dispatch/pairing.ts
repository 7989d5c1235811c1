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

export interface Pairing {
  readonly turns: readonly Turn[];
  /** Calls with the results that answer them; more than one is a fault. */
  readonly pairs: ReadonlyMap<PlacedCall, readonly PlacedResult[]>;
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
  const earlier = known.get(request);
  if (earlier !== undefined) return earlier;
  const pairing = pair(request);
  known.set(request, pairing);
  return pairing;
}

function pair(request: WireRequest): Pairing {
  const turns = toTurns(request);
  const found = {
    turns,
    pairs: new Map<PlacedCall, PlacedResult[]>(),
    openCalls: [] as PlacedCall[],
    orphanResults: [] as PlacedResult[],
    lateResults: [] as PlacedResult[],
    repeatedCalls: [] as PlacedCall[],
    misplaced: [] as (PlacedCall | PlacedResult)[],
    unjudged: [] as string[],
    anchored: [] as string[],
  };
  const seenIds = new Set<string>();
  turns.forEach((turn, index) => {
    const calls = callsOf(turn, index);
    const results = resultsOf(turn, index);
    if (turn.opaque) found.unjudged.push(turn.rows[0]!.path);
    if (turn.role === "assistant") {
      found.misplaced.push(...results);
      for (const call of calls) {
        if (call.block.id !== "" && seenIds.has(call.block.id)) found.repeatedCalls.push(call);
        seenIds.add(call.block.id);
      }
      if (!windowOpaque(turns, index)) pairWindow(calls, answersOf(turns, index), found);
    }
    if (turn.role === "user") {
      found.misplaced.push(...calls);
      const held = index === 0 && request.anchor !== null;
      if (held) found.anchored.push(...results.map((result) => result.block.path));
      if (!held && !windowOpaque(turns, index - 1)) found.orphanResults.push(...orphansOf(turns, index, results));
      found.lateResults.push(...(turn.opaque ? [] : lateOf(turn, results, found.orphanResults)));
    }
  });
  return found;
}

/** The n-th call of an id is answered by the n-th result of it; what is left over answers the last one. */
function pairWindow(
  calls: readonly PlacedCall[],
  answers: readonly PlacedResult[],
  found: { pairs: Map<PlacedCall, PlacedResult[]>; openCalls: PlacedCall[] },
): void {
  const byId = new Map<string, PlacedCall[]>();
  for (const call of calls) byId.set(call.block.id, [...(byId.get(call.block.id) ?? []), call]);
  for (const [id, sharing] of byId) {
    const results = answers.filter((result) => result.block.callId === id);
    sharing.forEach((call, nth) => {
      const last = nth === sharing.length - 1;
      const own = last ? results.slice(nth) : results.slice(nth, nth + 1);
      if (own.length > 0) found.pairs.set(call, own);
      else found.openCalls.push(call);
    });
  }
}

function answersOf(turns: readonly Turn[], assistant: number): readonly PlacedResult[] {
  const next = turns[assistant + 1];
  return next?.role === "user" ? resultsOf(next, assistant + 1) : [];
}

function orphansOf(turns: readonly Turn[], user: number, results: readonly PlacedResult[]): readonly PlacedResult[] {
  const before = turns[user - 1];
  const ids = new Set(before?.role === "assistant" ? callsOf(before, user - 1).map((call) => call.block.id) : []);
  return results.filter((result) => !ids.has(result.block.callId));
}

function lateOf(
  turn: Turn,
  results: readonly PlacedResult[],
  orphans: readonly PlacedResult[],
): readonly PlacedResult[] {
  const leadEnd = leadEndOf(turn);
  const leading = new Set(turn.blocks.slice(0, leadEnd).map(({ block }) => block));
  const orphaned = new Set(orphans.map(({ block }) => block));
  return results.filter(({ block }) => !leading.has(block) && !orphaned.has(block));
}

/** How many blocks at the front of a turn are results. */
export function leadEndOf(turn: Turn): number {
  const end = turn.blocks.findIndex(({ block }) => block.kind !== "result");
  return end === -1 ? turn.blocks.length : end;
}

/** An unknown structure in a turn or in the one that answers it takes the whole window out of judgement. */
function windowOpaque(turns: readonly Turn[], assistant: number): boolean {
  return turns[assistant]?.opaque === true || turns[assistant + 1]?.opaque === true;
}

function callsOf(turn: Turn, index: number): readonly PlacedCall[] {
  return turn.blocks.flatMap((placed) =>
    placed.block.kind === "call" ? [{ ...placed, block: placed.block, turn: index }] : [],
  );
}

function resultsOf(turn: Turn, index: number): readonly PlacedResult[] {
  return turn.blocks.flatMap((placed) =>
    placed.block.kind === "result" ? [{ ...placed, block: placed.block, turn: index }] : [],
  );
}
