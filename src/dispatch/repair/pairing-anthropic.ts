/** Repairs of broken pairs for Anthropic Messages: move, make, or keep as text. */
import { isObject, type JsonObject, stringOf, type WireRequest } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import type { CallFault, RepeatedResultFault, ResultFault, TextFault } from "../detect/pairing-anthropic.ts";
import type { UnansweredCall } from "../made-results.ts";
import { type PlacedResult, pairingOf } from "../pairing.ts";
import type { EditDraft } from "../rule.ts";
import type { Turn } from "../turns.ts";
import { behind, frontOf, type Place, type Rearrangement, rearrange } from "./content.ts";
import { furtherResultText, lateResultText, noResultText, orphanText } from "./wording.ts";

/** Every open call gets one result that says that there is none. */
export function synthesiseResults(request: WireRequest, faults: readonly CallFault[]): EditDraft[] {
  const { turns } = pairingOf(request);
  const inserts = faults.map(({ call }) => ({
    to: answerPlace(turns, call.turn),
    value: { type: "tool_result", tool_use_id: call.block.id, content: noResultText, is_error: true },
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
  const { turns, openCalls } = pairingOf(request);
  const open = [...openCalls];
  const parts = faults.map(({ result }): Rearrangement => {
    const at = open.findIndex((call) => call.block.id === result.block.callId && call.turn < result.turn);
    if (at === -1) return resultToText(turns[result.turn]!, result, orphanText);
    const [call] = open.splice(at, 1);
    return { moves: [{ block: result, to: answerPlace(turns, call!.turn) }] };
  });
  return rearrange(joined(parts));
}

/** Calls without a result in the turn behind them, and calls whose result stands there behind other content. */
export function unansweredCalls(request: WireRequest): UnansweredCall<PlacedResult>[] {
  const { openCalls, orphanResults, pairs, lateResults } = pairingOf(request);
  const late = new Set(lateResults.map(({ block }) => block));
  const parted = pairs.filter(({ results }) => results.every(({ block }) => late.has(block)));
  return [
    ...openCalls.map(({ block, turn }) => ({
      call: block,
      late: orphanResults.filter((result) => result.block.callId === block.id && result.turn > turn),
    })),
    ...parted.map(({ call, results }) => ({ call: call.block, late: results })),
  ];
}

export function lateResultsToText(request: WireRequest, late: readonly PlacedResult[]): EditDraft[] {
  const { turns } = pairingOf(request);
  return rearrange(joined(late.map((result) => resultToText(turns[result.turn]!, result, lateResultText))));
}

/** Of several results for one call one stays; the others stay as text, unless they say the same. */
export function keepOneResult(request: WireRequest, faults: readonly RepeatedResultFault[]): EditDraft[] {
  const { turns } = pairingOf(request);
  const parts = faults.map(({ result, kept }): Rearrangement => {
    const same = JSON.stringify(contentOf(result)) === JSON.stringify(contentOf(kept));
    return same ? { drops: [result] } : resultToText(turns[result.turn]!, result, furtherResultText);
  });
  return rearrange(joined(parts));
}

/** Text behind a call goes in front of the first call of its turn; across a thinking block nothing moves. */
export function moveTextForward(_request: WireRequest, faults: readonly TextFault[]): EditDraft[] {
  const movable = faults.filter((fault) => !fault.behindThinking);
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
function resultToText(turn: Turn, result: PlacedResult, wording: Wording): Rearrangement {
  const last = turn.blocks.findLast(({ block }) => block.kind === "result")!;
  const to: Place = { kind: "block", path: `${last.row.contentPath}/${last.index + 1}` };
  return { drops: [result], inserts: textBlocksOf(result, wording).map((value) => ({ value, to })) };
}

type Wording = (callId: string, content: string) => string;

function textBlocksOf(result: PlacedResult, wording: Wording): unknown[] {
  const content = contentOf(result);
  const parts = Array.isArray(content) ? content : [{ type: "text", text: stringOf(content) }];
  const texts = parts.map((part) => (isObject(part) && part.type === "text" ? stringOf(part.text) : ""));
  const media = parts.flatMap((part, index) =>
    isObject(part) && part.type !== "text" ? [lift(`${result.block.path}/content/${index}`)] : [],
  );
  const words = texts.filter((text) => text !== "").join("\n");
  const text = { type: "text", text: wording(result.block.callId, words) };
  const marked = isObject((result.block.value as JsonObject).cache_control);
  return [marked ? { ...text, cache_control: lift(`${result.block.path}/cache_control`) } : text, ...media];
}

function contentOf(result: PlacedResult): unknown {
  return (result.block.value as JsonObject).content;
}

function joined(parts: readonly Rearrangement[]): Rearrangement {
  return {
    moves: parts.flatMap((part) => part.moves ?? []),
    drops: parts.flatMap((part) => part.drops ?? []),
    inserts: parts.flatMap((part) => part.inserts ?? []),
  };
}
