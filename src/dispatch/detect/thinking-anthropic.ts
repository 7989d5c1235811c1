/** Thinking blocks and the switch that asks for them, as far as one body shows it. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import { pairingOf } from "../pairing.ts";
import type { Fault } from "../rule.ts";
import type { PlacedBlock } from "../turns.ts";
import { perRow } from "./per-row.ts";

export interface ThinkingFault extends Fault {
  readonly thinking: PlacedBlock;
}

/** Thinking blocks whose signature is blank or missing. */
export const unsignedThinking = perRow((row): ThinkingFault[] =>
  thinkingOf(row).flatMap((thinking) => {
    const { block } = thinking;
    if (block.kind !== "thinking" || (block.seal !== null && block.seal.trim() !== "")) return [];
    const message =
      block.seal === null ? "a thinking block has no signature" : "the signature of a thinking block is blank";
    return [{ path: block.path, message, thinking }];
  }),
);

/** Thinking is on, and the assistant turn that stands last, or whose results do, does not begin with it. */
export function loopWithoutThinking(request: WireRequest): Fault[] {
  if (thinkingType(request) !== "enabled" || request.anchor !== null) return [];
  const { turns } = pairingOf(request);
  const tail = turns.at(-1);
  const assistant = tail?.blocks[0]?.block.kind === "result" ? turns.at(-2) : tail;
  if (assistant?.role !== "assistant" || assistant.opaque) return [];
  const first = assistant.blocks[0];
  if (first === undefined || first.block.kind === "thinking") return [];
  return [
    {
      path: first.block.path,
      message: "thinking is enabled, but the last assistant message does not begin with a thinking block",
    },
  ];
}

/** Thinking is off, and the last turn is an assistant turn that holds some. */
export function thinkingAtTail(request: WireRequest): ThinkingFault[] {
  const type = thinkingType(request);
  const tail = pairingOf(request).turns.at(-1);
  if (type === "enabled" || type === "adaptive" || tail?.role !== "assistant") return [];
  if (request.rows.at(-1)?.role !== "assistant") return [];
  return tail.blocks
    .filter(({ block }) => block.kind === "thinking")
    .map((thinking) => ({
      path: thinking.block.path,
      message: "thinking is disabled, but the final assistant message holds a thinking block",
      thinking,
    }));
}

/** Thinking is on, and the last message ends with it: a prefill can't, and there is nothing that it led to. */
export function thinkingAtEnd(request: WireRequest): ThinkingFault[] {
  const type = thinkingType(request);
  if (type !== "enabled" && type !== "adaptive") return [];
  const row = request.rows.at(-1);
  if (row?.role !== "assistant") return [];
  const end = row.blocks.findLastIndex(({ kind }) => kind !== "thinking") + 1;
  return row.blocks.slice(end).map((block, nth) => ({
    path: block.path,
    message: "the final assistant message ends with a thinking block",
    thinking: { block, row, index: end + nth },
  }));
}

export function thinkingType(request: WireRequest): unknown {
  const thinking = request.body.thinking;
  return isObject(thinking) ? thinking.type : undefined;
}

export const placedThinking = perRow(thinkingOf);

function thinkingOf(row: Row): PlacedBlock[] {
  if (row.role !== "assistant") return [];
  return row.blocks.flatMap((block, index) => (block.kind === "thinking" ? [{ block, row, index }] : []));
}
