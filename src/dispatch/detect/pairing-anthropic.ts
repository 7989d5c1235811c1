/** Broken pairs, each under its own name, from the one analysis in `pairing.ts`. */
import type { WireRequest } from "../../wire/request.ts";
import { type LateText, type PlacedCall, type PlacedResult, pairingOf } from "../pairing.ts";
import type { Fault } from "../rule.ts";
import type { PlacedBlock } from "../turns.ts";

export interface CallFault extends Fault {
  readonly call: PlacedCall;
}

export interface ResultFault extends Fault {
  readonly result: PlacedResult;
}

export interface RepeatedResultFault extends ResultFault {
  readonly kept: PlacedResult;
}

export interface TextFault extends Fault {
  readonly text: LateText;
  readonly firstCall: PlacedBlock;
}

export function openCalls(request: WireRequest): CallFault[] {
  return pairingOf(request).openCalls.map((call) => ({
    path: call.block.path,
    message: `the call ${call.block.id} (${call.block.name}) has no result in the next user message`,
    call,
  }));
}

export function orphanResults(request: WireRequest): ResultFault[] {
  return pairingOf(request).orphanResults.map((result) => ({
    path: result.block.path,
    message: `the result for ${result.block.callId} has no call in the assistant message before it`,
    result,
  }));
}

export function lateResults(request: WireRequest): ResultFault[] {
  return pairingOf(request).lateResults.map((result) => ({
    path: result.block.path,
    message: `the result for ${result.block.callId} stands behind other content; results must lead the message`,
    result,
  }));
}

export function resultsInAssistantTurns(request: WireRequest): ResultFault[] {
  return pairingOf(request).misplaced.flatMap((placed) =>
    placed.block.kind === "result"
      ? [
          {
            path: placed.block.path,
            message: `the result for ${placed.block.callId} stands in an assistant message`,
            result: placed as PlacedResult,
          },
        ]
      : [],
  );
}

export function callsInUserTurns(request: WireRequest): CallFault[] {
  return pairingOf(request).misplaced.flatMap((placed) =>
    placed.block.kind === "call"
      ? [
          {
            path: placed.block.path,
            message: `the call ${placed.block.id} stands in a user message`,
            call: placed as PlacedCall,
          },
        ]
      : [],
  );
}

export function repeatedCallIds(request: WireRequest): CallFault[] {
  return pairingOf(request).repeatedCalls.map((call) => ({
    path: `${call.block.path}/id`,
    message: `the id ${call.block.id} names an earlier call too`,
    call,
  }));
}

/** Each result beyond the one that is kept: the first that is no error, else the first. */
export function repeatedResults(request: WireRequest): RepeatedResultFault[] {
  return pairingOf(request).repeatedResults.flatMap(({ results }) => {
    const kept = results.find((result) => !result.block.isError) ?? results[0]!;
    return results
      .filter((result) => result !== kept)
      .map((result) => ({
        path: result.block.path,
        message: `the call ${result.block.callId} has more than one result`,
        result,
        kept,
      }));
  });
}

export function textBehindCalls(request: WireRequest): TextFault[] {
  const { turns, lateTexts } = pairingOf(request);
  return lateTexts.map((text) => ({
    path: text.block.path,
    message: "text stands behind a tool call in one assistant message",
    text,
    firstCall: turns[text.turn]!.calls[0]!,
  }));
}
