/**
 * Results that were made up for calls without one, as they go on in a history that the host sends without them (DG-26):
 * which calls have one in the bytes that a provider took, and what becomes of a real result that comes late.
 */
import type { Api } from "../wire/api.ts";
import { isObject, type Row, type ToolCall, type ToolResult, type WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import { lateResultsToText, unansweredCalls } from "./repair/pairing-anthropic.ts";
import { lateRowsToText, unansweredChatCalls } from "./repair/pairing-chat.ts";
import { lateOutputsToText, unansweredItemCalls } from "./repair/pairing-responses.ts";
import { noResultText } from "./repair/wording.ts";
import type { EditDraft } from "./rule.ts";

/** A call that no result answers where the api wants it, and what stands further down for it. */
export interface UnansweredCall<Late = unknown> {
  readonly call: ToolCall;
  /** Real results that came late, if any. */
  readonly late: readonly Late[];
}

interface ApiPairing {
  unanswered(request: WireRequest): readonly UnansweredCall[];
  toText(request: WireRequest, late: readonly unknown[]): readonly EditDraft[];
}

/** What a late result is, only the two functions of its own api know. */
function pairing<Late>(own: {
  unanswered(request: WireRequest): readonly UnansweredCall<Late>[];
  toText(request: WireRequest, late: readonly Late[]): readonly EditDraft[];
}): ApiPairing {
  return own;
}

const responses = pairing({ unanswered: unansweredItemCalls, toText: lateOutputsToText });

const turns = pairing({ unanswered: unansweredCalls, toText: lateResultsToText });

/** Gemini's results have no ids, so a late one can't be told from a stray one; at Mistral none is made up ahead. */
const PAIRINGS: Partial<Record<Api, ApiPairing>> = {
  "anthropic-messages": turns,
  "bedrock-converse-stream": turns,
  "openai-completions": pairing({ unanswered: unansweredChatCalls, toText: lateRowsToText }),
  "openai-responses": responses,
  "openai-codex-responses": responses,
  "azure-openai-responses": responses,
};

export function unansweredIn(request: WireRequest): ReadonlyMap<ToolCall, UnansweredCall> {
  const unanswered = PAIRINGS[request.api]?.unanswered(request) ?? [];
  return new Map(unanswered.map((one) => [one.call, one]));
}

/** The late results of these calls become words of the user where they stand: the made-up ones keep their places. */
export function lateToText(request: WireRequest, calls: readonly UnansweredCall[]): readonly EditDraft[] {
  // Two calls of one id may both be meant by one result.
  const late = new Set(calls.flatMap((one) => one.late));
  return PAIRINGS[request.api]?.toText(request, [...late]) ?? [];
}

/** Where a call stands in the host's history. */
export interface CallPlace {
  readonly row: number;
  /** Index among the blocks of the row. */
  readonly block: number;
}

/** The calls of the host's history that have a made-up result in the bytes that were sent. */
export function madeIn(sent: WireRequest, host: WireRequest): readonly CallPlace[] {
  const calls = callPlaces(host.rows);
  const made = madeOrdinals(sent.rows);
  // A repair takes no call out and adds none, but it may rename one: its place in the order stays.
  if (made.calls !== calls.length) return [];
  const unanswered = unansweredIn(host);
  return calls.filter(({ call }, ordinal) => made.ordinals.has(ordinal) && unanswered.has(call));
}

function callPlaces(rows: readonly Row[]): (CallPlace & { readonly call: ToolCall })[] {
  return rows.flatMap((row) =>
    row.blocks.flatMap((call, block) => (call.kind === "call" ? [{ row: row.index, block, call }] : [])),
  );
}

function madeOrdinals(rows: readonly Row[]): { readonly calls: number; readonly ordinals: ReadonlySet<number> } {
  const ordinals = new Set<number>();
  const latest = new Map<string, number>();
  let calls = 0;
  for (const { blocks } of rows) {
    for (const block of blocks) {
      if (block.kind === "call") latest.set(block.id, calls++);
      const answered = block.kind === "result" && isMade(block) ? latest.get(block.callId) : undefined;
      if (answered !== undefined) ordinals.add(answered);
    }
  }
  return { calls, ordinals };
}

/** Whether an edit puts a made-up result into the history, alone or in a row of its own. */
export function makesResult({ op, value }: RequestEdit): boolean {
  if (op !== "insert" || !isObject(value)) return false;
  return isMade({ value }) || (Array.isArray(value.content) && value.content.some((block) => isMade({ value: block })));
}

function isMade({ value }: Pick<ToolResult, "value">): boolean {
  if (!isObject(value)) return false;
  // Bedrock has the result inside, and its words in a list.
  if (isObject(value.toolResult)) return JSON.stringify(value.toolResult.content) === MADE_CONVERSE;
  return (value.content ?? value.output) === noResultText;
}

const MADE_CONVERSE = JSON.stringify([{ text: noResultText }]);
