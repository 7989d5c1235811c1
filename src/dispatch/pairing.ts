/**
 * Which call is answered by which result, for the apis that pair turn by turn (Anthropic and its kin): results stand in
 * the next user turn, as one leading run, each id once. Every fault is found once and has one name.
 */
import { grownList } from "../lib/grown-list.ts";
import type { Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
import { type Earlier, historyMemo } from "../wire/row-memo.ts";
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

/** Text behind the first call of its turn. */
export interface LateText extends PlacedBlock {
  readonly turn: number;
  /** Thinking stands between the two. */
  readonly behindThinking: boolean;
}

/** A call and the results that answer it: none or more than one is a fault. */
export interface Pair {
  readonly call: PlacedCall;
  readonly results: readonly PlacedResult[];
}

export interface Pairing {
  readonly turns: readonly Turn[];
  /** The pairs with more than one result. */
  readonly repeatedResults: readonly Pair[];
  readonly openCalls: readonly PlacedCall[];
  readonly orphanResults: readonly PlacedResult[];
  /** Results that answer a call but stand behind other content. */
  readonly lateResults: readonly PlacedResult[];
  /** Calls whose id an earlier call has. */
  readonly repeatedCalls: readonly PlacedCall[];
  readonly lateTexts: readonly LateText[];
  /** Results in an assistant turn, calls in a user turn. */
  readonly misplaced: readonly (PlacedCall | PlacedResult)[];
  /** Paths of turns that were not judged because they hold an unknown structure. */
  readonly unjudged: readonly string[];
  /** Results that answer calls which only the provider holds. */
  readonly anchored: readonly string[];
}

/** Computed once per history: many rules ask for it. */
export function pairingOf(request: WireRequest): Pairing {
  return request.anchor === null ? wholePairing(request.rows) : anchoredPairing(request.rows);
}

/** The calls that are answered, each with its results: for repairs, and so not kept up with every turn. */
export function pairsOf(request: WireRequest): readonly Pair[] {
  const { turns } = pairingOf(request);
  const all = turns.flatMap(({ role }, index) => (role === "assistant" ? pairsIn(turns, index) : []));
  return all.filter(({ results }) => results.length > 0);
}

const wholePairing = historyMemo<Found>((rows, earlier) => pair(rows, earlier, false));
const anchoredPairing = historyMemo<Found>((rows, earlier) => pair(rows, earlier, true));

type Lists = { -readonly [K in keyof Pairing]: Pairing[K] extends readonly (infer T)[] ? T[] : never };

interface Found extends Lists {
  /** The first turn of every call id. It is handed on to the history that grows out of this one. */
  callIds: Map<string, number> | null;
}

/** @param anchored the provider holds what came before: results in the first user turn answer calls that it knows */
function pair(rows: readonly Row[], earlier: Earlier<Found> | null, anchored: boolean): Found {
  const { lists, from } = earlier === null ? { lists: emptyLists(rows), from: 0 } : takeOver(earlier, rows);
  const callIds = earlier === null ? new Map<string, number>() : callIdsInFront(earlier.answer, from);
  const { turns } = lists;
  for (let index = from; index < turns.length; index++) {
    const turn = turns[index]!;
    if (isOpaque(turn)) lists.unjudged.push(pathOf(turn));
    if (turn.role === "assistant") lookAtAssistant(turns, index, callIds, lists);
    if (turn.role === "user") lookAtUser(turns, index, anchored && index === 0, lists);
  }
  return { ...lists, callIds };
}

function emptyLists(rows: readonly Row[]): Lists {
  return {
    turns: toTurns(rows),
    repeatedResults: [],
    openCalls: [],
    orphanResults: [],
    lateResults: [],
    repeatedCalls: [],
    lateTexts: [],
    misplaced: [],
    unjudged: [],
    anchored: [],
  };
}

/** What holds on of an earlier pairing, and the first turn that is looked at again. */
function takeOver({ answer, shared }: Earlier<Found>, rows: readonly Row[]): { lists: Lists; from: number } {
  let whole = answer.turns.length;
  while (whole > 0 && answer.turns[whole - 1]!.rows.at(-1)!.index >= shared) whole--;
  // The last shared turn may go on with other rows, and the one in front of it is answered by it.
  const kept = Math.max(0, whole - 1);
  const lastRow = answer.turns[kept - 1]?.rows.at(-1)?.index ?? -1;
  const turns = grownList(answer.turns, kept, toTurns(rows.slice(lastRow + 1)));
  const from = Math.max(0, whole - 2);
  const inFront = ({ turn }: { readonly turn: number }) => turn < from;
  const lists = {
    turns,
    repeatedResults: answer.repeatedResults.filter(({ call }) => inFront(call)),
    openCalls: answer.openCalls.filter(inFront),
    orphanResults: answer.orphanResults.filter(inFront),
    lateResults: answer.lateResults.filter(inFront),
    repeatedCalls: answer.repeatedCalls.filter(inFront),
    lateTexts: answer.lateTexts.filter(inFront),
    misplaced: answer.misplaced.filter(inFront),
    unjudged: answer.unjudged.length === 0 ? [] : turns.slice(0, from).filter(isOpaque).map(pathOf),
    // They stand in the first turn.
    anchored: from === 0 ? [] : [...answer.anchored],
  };
  return { lists, from };
}

function isOpaque(turn: Turn): boolean {
  return turn.opaque;
}

function pathOf(turn: Turn): string {
  return turn.rows[0]!.path;
}

function callIdsInFront(earlier: Found, from: number): Map<string, number> {
  const callIds = earlier.callIds ?? firstTurns(earlier.turns);
  earlier.callIds = null;
  for (const { calls } of earlier.turns.slice(from)) {
    for (const { block } of calls) if (callIds.get(block.id)! >= from) callIds.delete(block.id);
  }
  return callIds;
}

/** Where an earlier pairing has handed its ids on already: two histories grow out of one. */
function firstTurns(turns: readonly Turn[]): Map<string, number> {
  const callIds = new Map<string, number>();
  turns.forEach(({ role, calls }, index) => {
    if (role !== "assistant") return;
    for (const { block } of calls) if (!callIds.has(block.id)) callIds.set(block.id, index);
  });
  return callIds;
}

function lookAtAssistant(turns: readonly Turn[], index: number, callIds: Map<string, number>, found: Lists): void {
  const turn = turns[index]!;
  for (const result of turn.results) found.misplaced.push({ ...result, turn: index });
  if (turn.calls.length === 0) return;
  if (!turn.opaque) addLateTexts(turn, index, found);
  for (const call of turn.calls) {
    const { id } = call.block;
    if (id !== "" && callIds.has(id)) found.repeatedCalls.push({ ...call, turn: index });
    else callIds.set(id, index);
  }
  for (const pair of pairsIn(turns, index)) {
    if (pair.results.length === 0) found.openCalls.push(pair.call);
    if (pair.results.length > 1) found.repeatedResults.push(pair);
  }
}

/**
 * The calls of an assistant turn, each with what answers it in the turn behind: the n-th call of an id is answered by the
 * n-th result of it, and what is left over answers the last one.
 */
function pairsIn(turns: readonly Turn[], index: number): Pair[] {
  if (isOpaqueWindow(turns, index)) return [];
  const { calls } = turns[index]!;
  const next = turns[index + 1];
  const answers = Map.groupBy(next?.role === "user" ? next.results : [], ({ block }) => block.callId);
  const lastOf = new Map(calls.map(({ block }) => [block.id, block]));
  return calls.map((call) => {
    const left = answers.get(call.block.id) ?? [];
    const own = lastOf.get(call.block.id) === call.block ? left : left.splice(0, 1);
    return { call: { ...call, turn: index }, results: own.map((result) => ({ ...result, turn: index + 1 })) };
  });
}

function addLateTexts({ blocks }: Turn, turn: number, { lateTexts }: Lists): void {
  let behindCall = false;
  let behindThinking = false;
  for (const placed of blocks) {
    const { kind } = placed.block;
    if (kind === "call") behindCall = true;
    else if (kind === "thinking" && behindCall) behindThinking = true;
    else if (kind === "text" && behindCall) lateTexts.push({ ...placed, turn, behindThinking });
  }
}

function lookAtUser(turns: readonly Turn[], index: number, anchored: boolean, found: Lists): void {
  const turn = turns[index]!;
  for (const call of turn.calls) found.misplaced.push({ ...call, turn: index });
  if (turn.results.length === 0) return;
  if (anchored) {
    for (const { block } of turn.results) found.anchored.push(block.path);
    return;
  }
  if (isOpaqueWindow(turns, index - 1)) return;
  const before = turns[index - 1];
  const called = new Set(before?.role === "assistant" ? before.calls.map(({ block }) => block.id) : []);
  turn.results.forEach((result, nth) => {
    const placed: PlacedResult = { ...result, turn: index };
    if (!called.has(result.block.callId)) found.orphanResults.push(placed);
    // The first `leadEnd` blocks are results, so the first `leadEnd` results lead.
    else if (nth >= turn.leadEnd) found.lateResults.push(placed);
  });
}

/** An unknown structure in a turn or in the one that answers it takes the whole window out of judgement. */
function isOpaqueWindow(turns: readonly Turn[], assistant: number): boolean {
  return turns[assistant]?.opaque === true || turns[assistant + 1]?.opaque === true;
}
