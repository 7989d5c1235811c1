/** Repairs of broken pairs in a Responses input: make an output, or keep its words as the user's. */
import type { ToolCall, WireRequest } from "../../wire/request.ts";
import type { ItemCallFault, ItemResultFault } from "../detect/pairing-responses.ts";
import type { UnansweredCall } from "../made-results.ts";
import { type ItemResult, itemPairingOf, type RepeatedItemResult } from "../pairing-responses.ts";
import type { EditDraft } from "../rule.ts";
import { asTextParts } from "./result-text.ts";
import { furtherResultText, lateResultText, noResultText, orphanText } from "./wording.ts";

/** Every open call gets one output that says that there is none, behind the batch of calls that it belongs to. */
export function synthesiseOutputs(request: WireRequest, faults: readonly ItemCallFault[]): EditDraft[] {
  const ends = batchEnds(request);
  return faults.map(({ call: { call, row } }) => ({
    op: "insert",
    path: `/input/${ends[row.index]}`,
    value: { type: "function_call_output", call_id: call.id, output: noResultText },
  }));
}

/** An output that was parted from its call goes behind the batch of calls. */
export function rejoinOutputs(request: WireRequest, faults: readonly ItemCallFault[]): EditDraft[] {
  const ends = batchEnds(request);
  return faults.map(({ path, call }) => ({ op: "move", path: `/input/${ends[call.row.index]}`, from: path }));
}

/** For every item, the index behind the run of calls that it stands in. */
function batchEnds({ rows }: WireRequest): number[] {
  const ends: number[] = [];
  let end = rows.length;
  for (const row of rows.toReversed()) {
    ends[row.index] = end;
    if (row.blocks[0]?.kind !== "call") end = row.index;
  }
  return ends;
}

export function orphanOutputsToText(_request: WireRequest, faults: readonly ItemResultFault[]): EditDraft[] {
  return faults.map(({ result }) => toUserMessage(result, orphanText));
}

/** Calls without an output, and calls whose output stands behind another batch: the api takes it, its cache does not. */
export function unansweredItemCalls(request: WireRequest): UnansweredCall<ItemResult>[] {
  const { openCalls, repeated } = itemPairingOf(request);
  const repeatedIds = new Set(repeated.map(({ result }) => result.callId));
  return [
    ...openCalls.map(({ call }) => ({ call, late: [] })),
    ...lateOutputs(request).filter(({ call }) => !repeatedIds.has(call.id)),
  ];
}

/** A batch is a run of calls and the run of outputs behind it; whatever else stands there ends it. */
function lateOutputs({ rows }: WireRequest): UnansweredCall<ItemResult>[] {
  const calls = new Map<string, { readonly call: ToolCall; readonly batch: number }>();
  const late: UnansweredCall<ItemResult>[] = [];
  let batch = 0;
  let before: string | undefined;
  for (const row of rows) {
    const [block] = row.blocks;
    if (block?.kind !== "result" && !(block?.kind === "call" && before === "call")) batch += 1;
    if (block?.kind === "call") calls.set(block.id, { call: block, batch });
    const own = block?.kind === "result" ? calls.get(block.callId) : undefined;
    if (block?.kind === "result" && own !== undefined && own.batch !== batch) {
      late.push({ call: own.call, late: [{ result: block, row }] });
    }
    before = block?.kind;
  }
  return late;
}

export function lateOutputsToText(_request: WireRequest, late: readonly ItemResult[]): EditDraft[] {
  return late.map((output) => toUserMessage(output, lateResultText));
}

/** Outputs that repeat the one that is kept go; others stay as text. */
export function keepOneOutput(
  _request: WireRequest,
  faults: readonly ItemResultFault<RepeatedItemResult>[],
): EditDraft[] {
  return faults.map(({ path, result }) => {
    const { output } = result.row.value;
    const same = output === noResultText || JSON.stringify(output) === JSON.stringify(result.kept.row.value.output);
    return same ? { op: "drop", path } : toUserMessage(result, furtherResultText);
  });
}

function toUserMessage({ result, row }: ItemResult, wording: (callId: string, words: string) => string): EditDraft {
  const frame = (words: string) => wording(result.callId, words);
  const content = asTextParts(row.value.output, `${row.path}/output`, frame, "input_text");
  return { op: "replace", path: row.path, value: { type: "message", role: "user", content } };
}
