/** Broken pairs as Bedrock Converse counts them. */
import type { WireRequest } from "../../wire/request.ts";
import { type PlacedCall, type PlacedResult, pairingOf } from "../pairing.ts";
import { type CallFault, orphanResults, type ResultFault, repeatedResults } from "./pairing-anthropic.ts";

export interface SurplusFault extends ResultFault {
  /** The result that its call keeps; null where no call asked for this one. */
  readonly kept: PlacedResult | null;
}

/** Results in turns that hold more of them than the turn in front has calls. */
export function surplusResults(request: WireRequest): SurplusFault[] {
  const { turns } = pairingOf(request);
  const faults: SurplusFault[] = [
    ...orphanResults(request).map((fault) => ({ ...fault, kept: null })),
    ...repeatedResults(request),
  ];
  return faults.filter(({ result }) => {
    const before = turns[result.turn - 1];
    const calls = before?.role === "assistant" ? before.calls.length : 0;
    return turns[result.turn]!.results.length > calls;
  });
}

/** Calls of one row with an id that an earlier one of it has. */
export function repeatedIdsInRow(request: WireRequest): CallFault[] {
  const { repeatedCalls, turns } = pairingOf(request);
  return repeatedCalls
    .filter((call) => hasTwin(call, turns[call.turn]!.calls))
    .map((call) => ({
      path: `${call.block.path}/toolUse/toolUseId`,
      message: `the id ${call.block.id} stands twice in one message`,
      call,
    }));
}

function hasTwin(call: PlacedCall, calls: readonly Pick<PlacedCall, "block" | "row" | "index">[]): boolean {
  return calls.some((other) => other.row === call.row && other.index < call.index && other.block.id === call.block.id);
}
