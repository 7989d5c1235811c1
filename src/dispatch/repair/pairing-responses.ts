/** Repairs of broken pairs in a Responses input: make an output, or keep its words as the user's. */
import type { WireRequest } from "../../wire/request.ts";
import type { ItemCallFault, ItemResultFault } from "../detect/pairing-responses.ts";
import type { ItemResult, RepeatedItemResult } from "../pairing-responses.ts";
import type { EditDraft } from "../rule.ts";
import { asTextParts } from "./result-text.ts";
import { furtherResultText, noResultText, orphanText } from "./wording.ts";

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
