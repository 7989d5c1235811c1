/** Thinking is dropped whole or left alone; it is never moved or edited (DG-23). */
import type { WireRequest } from "../../wire/request.ts";
import { type ForeignFault, isOwnThinking, mismatchBehaviour, type SealedFault } from "../detect/sealed-thinking.ts";
import { placedThinking, type ThinkingFault } from "../detect/thinking-anthropic.ts";
import { blockDigest, walkPrefix } from "../prefix-chain.ts";
import type { EditDraft, JudgeContext } from "../rule.ts";
import type { PlacedBlock } from "../turns.ts";
import { rearrange } from "./content.ts";

export function dropThinking(_request: WireRequest, faults: readonly ThinkingFault[]): EditDraft[] {
  return rearrange({ drops: faults.map(({ thinking }) => thinking) });
}

export function switchThinkingOff(): EditDraft[] {
  return [{ op: "drop", path: "/thinking" }];
}

/** All thinking that is foreign goes at once; where only the provider knows it, all that this account is not known to have issued. */
export function dropForeign(
  request: WireRequest,
  faults: readonly (ThinkingFault | ForeignFault)[],
  context: JudgeContext,
): EditDraft[] {
  const rejected = faults.some((fault) => "rejected" in fault && fault.rejected);
  const named = new Set(faults.map(({ thinking }) => thinking.block));
  const drops = placedThinking(request).filter(
    ({ block }) => named.has(block) || (rejected && block.kind === "thinking" && !isOwnThinking(block, context)),
  );
  return rearrange({ drops });
}

/**
 * In one pass: a block goes if its prefix, without the blocks that went before it, is not the one it was made behind.
 * Behind a gap, blocks that nobody knows go too. A user who asked for strictness gets the provider's error.
 */
export function dropUnbound(
  request: WireRequest,
  faults: readonly SealedFault[],
  { memory }: JudgeContext,
): EditDraft[] {
  if (faults.length === 0 || mismatchBehaviour(request) === "error") return [];
  const rejected = faults.find(({ sealed }) => sealed === null)?.thinking.block;
  const drops: PlacedBlock[] = [];
  walkPrefix(request, (placed, before) => {
    const { block, row } = placed;
    if (block.kind !== "thinking" || row.role !== "assistant") return true;
    const sealed = memory?.get(block);
    const bound = sealed === undefined ? drops.length === 0 && block !== rejected : sealed.prefix === before;
    if (!bound) drops.push(placed);
    return bound;
  });
  return rearrange({ drops });
}

/** Words that were changed come back from memory; a turn whose order was changed loses all its thinking. */
export function restoreThinking(request: WireRequest, faults: readonly SealedFault[]): EditDraft[] {
  const reordered = new Set(faults.filter((fault) => !canRestore(fault)).map(({ thinking }) => thinking.row));
  const drops = placedThinking(request).filter(({ row }) => reordered.has(row));
  const restored = faults.filter((fault) => canRestore(fault) && !reordered.has(fault.thinking.row));
  return [
    ...rearrange({ drops }),
    ...restored.map(({ path, sealed }): EditDraft => ({ op: "replace", path, value: sealed?.original })),
  ];
}

/** The signature is the same and only the words differ. */
function canRestore({ thinking, sealed }: SealedFault): boolean {
  return sealed !== null && blockDigest(thinking.block.value) !== sealed.digest;
}
