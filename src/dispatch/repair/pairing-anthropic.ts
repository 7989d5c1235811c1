/** Repairs of broken pairs for the apis that pair turn by turn: move, make, or keep as text. */
import type { WireRequest } from "../../wire/request.ts";
import type { CallFault, RepeatedResultFault, ResultFault, TextFault } from "../detect/pairing-anthropic.ts";
import type { SurplusFault } from "../detect/pairing-converse.ts";
import type { UnansweredCall } from "../made-results.ts";
import { type PlacedResult, pairingOf, pairsOf } from "../pairing.ts";
import type { EditDraft } from "../rule.ts";
import type { Turn } from "../turns.ts";
import { behind, frontOf, type Place, type Rearrangement, rearrange } from "./content.ts";
import { resultShapeOf } from "./result-shape.ts";
import { furtherResultText, lateResultText, orphanText } from "./wording.ts";

/** Every open call gets one result that says that there is none. */
export function synthesiseResults(request: WireRequest, faults: readonly CallFault[]): EditDraft[] {
  const { turns } = pairingOf(request);
  const inserts = faults.map(({ call }) => ({
    to: answerPlace(turns, call.turn),
    value: resultShapeOf(request.api).noResult(call.block),
  }));
  return rearrange({ inserts });
}

/** Results behind other content move to the front of their turn, in the order in which they stand. */
export function leadResults(request: WireRequest, faults: readonly ResultFault[]): EditDraft[] {
  const { turns } = pairingOf(request);
  return rearrange({ moves: faults.map(({ result }) => ({ block: result, to: frontOf(turns[result.turn]!) })) });
}

/** Results that stand in an assistant turn go to the front of the turn that answers it. */
export function returnResults(request: WireRequest, faults: readonly ResultFault[]): EditDraft[] {
  const { turns } = pairingOf(request);
  return rearrange({ moves: faults.map(({ result }) => ({ block: result, to: answerPlace(turns, result.turn) })) });
}

/** An orphan goes behind its own call where that one is still open; else its content stays as text of the user. */
export function placeOrphans(request: WireRequest, faults: readonly ResultFault[]): EditDraft[] {
  return rearrange(joined(orphansPlaced(request, faults)));
}

function orphansPlaced(request: WireRequest, faults: readonly ResultFault[]): Rearrangement[] {
  const { turns, openCalls } = pairingOf(request);
  const open = [...openCalls];
  return faults.map(({ result }): Rearrangement => {
    const at = open.findIndex((call) => call.block.id === result.block.callId && call.turn < result.turn);
    if (at === -1) return resultToText(request, result, orphanText);
    const [call] = open.splice(at, 1);
    return { moves: [{ block: result, to: answerPlace(turns, call!.turn) }] };
  });
}

/** Calls without a result in the turn behind them, and calls whose result stands there behind other content. */
export function unansweredCalls(request: WireRequest): UnansweredCall<PlacedResult>[] {
  const { openCalls, orphanResults, lateResults } = pairingOf(request);
  const late = new Set(lateResults.map(({ block }) => block));
  const parted = pairsOf(request).filter(({ results }) => results.every(({ block }) => late.has(block)));
  return [
    ...openCalls.map(({ block, turn }) => ({
      call: block,
      late: orphanResults.filter((result) => result.block.callId === block.id && result.turn > turn),
    })),
    ...parted.map(({ call, results }) => ({ call: call.block, late: results })),
  ];
}

export function lateResultsToText(request: WireRequest, late: readonly PlacedResult[]): EditDraft[] {
  return rearrange(joined(late.map((result) => resultToText(request, result, lateResultText))));
}

/** Of several results for one call one stays; the others stay as text, unless they say the same. */
export function keepOneResult(request: WireRequest, faults: readonly RepeatedResultFault[]): EditDraft[] {
  return rearrange(joined(oneResultKept(request, faults)));
}

function oneResultKept(request: WireRequest, faults: readonly RepeatedResultFault[]): Rearrangement[] {
  const { contentOf } = resultShapeOf(request.api);
  return faults.map(({ result, kept }): Rearrangement => {
    const same = JSON.stringify(contentOf(result.block)) === JSON.stringify(contentOf(kept.block));
    return same ? { drops: [result] } : resultToText(request, result, furtherResultText);
  });
}

/**
 * Results beyond the calls: a second one for a call, and one that no call asked for. In one step: a row that loses its
 * own result may be the one that the words of another go into.
 */
export function dropSurplus(request: WireRequest, faults: readonly SurplusFault[]): EditDraft[] {
  const strays = faults.filter(({ kept }) => kept === null);
  const repeated = faults.flatMap((fault) => (fault.kept === null ? [] : [{ ...fault, kept: fault.kept }]));
  return rearrange(joined([...orphansPlaced(request, strays), ...oneResultKept(request, repeated)]));
}

/** Text behind a call goes in front of the first call of its turn; across a thinking block nothing moves. */
export function moveTextForward(_request: WireRequest, faults: readonly TextFault[]): EditDraft[] {
  const movable = faults.filter(({ text }) => !text.behindThinking);
  return rearrange({
    moves: movable.map(({ text, firstCall }) => ({
      block: text,
      to: { kind: "block", path: `${firstCall.row.contentPath}/${firstCall.index}` },
    })),
  });
}

/** The place for results of an assistant turn: the front of the user turn behind it, or a new row. */
function answerPlace(turns: readonly Turn[], assistant: number): Place {
  const next = turns[assistant + 1];
  return next?.role === "user" ? frontOf(next) : behind(turns[assistant]!);
}

/** The content of a result as user text, behind the last result of its turn, so that the results stay one run. */
function resultToText(request: WireRequest, result: PlacedResult, wording: Wording): Rearrangement {
  const turn = pairingOf(request).turns[result.turn]!;
  const last = turn.blocks.findLast(({ block }) => block.kind === "result")!;
  const to: Place = { kind: "block", path: `${last.row.contentPath}/${last.index + 1}` };
  const { block } = result;
  const blocks = resultShapeOf(request.api).asText(block, (words) => wording(block.callId, words));
  return { drops: [result], inserts: blocks.map((value) => ({ value, to })) };
}

type Wording = (callId: string, content: string) => string;

function joined(parts: readonly Rearrangement[]): Rearrangement {
  return {
    moves: parts.flatMap((part) => part.moves ?? []),
    drops: parts.flatMap((part) => part.drops ?? []),
    inserts: parts.flatMap((part) => part.inserts ?? []),
  };
}
