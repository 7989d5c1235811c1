/** Calls and outputs of a Responses input that do not answer each other. */
import type { Row, WireRequest } from "../../wire/request.ts";
import { type ItemCall, type ItemResult, itemPairingOf, type RepeatedItemResult } from "../pairing-responses.ts";
import type { Fault } from "../rule.ts";

export interface ItemCallFault extends Fault {
  readonly call: ItemCall;
}

export interface ItemResultFault<R extends ItemResult = ItemResult> extends Fault {
  readonly result: R;
}

/** What is measured for functions is only presumed for the other tools that the client runs. */
export type ToolFamily = "function" | "other";

export function openItemCalls(request: WireRequest, family: ToolFamily): ItemCallFault[] {
  return itemPairingOf(request)
    .openCalls.filter(({ row }) => familyOf(row) === family)
    .map((call) => ({
      path: call.row.path,
      message: `the call ${call.call.id} (${call.call.name}) has no output in the input`,
      call,
    }));
}

export function orphanOutputs(request: WireRequest, family: ToolFamily): ItemResultFault[] {
  return itemPairingOf(request)
    .orphans.filter(({ row }) => familyOf(row) === family)
    .map((result) => ({
      path: result.row.path,
      message: `the output for ${result.result.callId} has no call in the input`,
      result,
    }));
}

export function repeatedOutputs(request: WireRequest): ItemResultFault<RepeatedItemResult>[] {
  return itemPairingOf(request)
    .repeated.filter(({ row }) => familyOf(row) === "function")
    .map((result) => ({
      path: result.row.path,
      message: `the call ${result.result.callId} has more than one output`,
      result,
    }));
}

function familyOf(row: Row): ToolFamily {
  return String(row.value.type).startsWith("function_call") ? "function" : "other";
}

/** An output that other items part from its call: strict copies of the api mind. */
export function partedOutputs(request: WireRequest): ItemCallFault[] {
  const calls = new Map<string, ItemCall>();
  let lastOther = -1;
  return request.rows.flatMap((row) => {
    const [block] = row.blocks;
    if (block?.kind === "call") calls.set(block.id, { call: block, row });
    else if (block?.kind !== "result") lastOther = row.index;
    const call = block?.kind === "result" ? calls.get(block.callId) : undefined;
    if (call === undefined || lastOther < call.row.index) return [];
    return [{ path: row.path, message: `other items stand between the call ${call.call.id} and its output`, call }];
  });
}
