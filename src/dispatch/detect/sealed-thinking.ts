/** Faults of signed thinking that only the earlier exchanges of the session show. */
import { isObject, type ThinkingBlock, type WireRequest } from "../../wire/request.ts";
import { blockDigests, type PrefixChain, prefixChainOf } from "../prefix-chain.ts";
import type { JudgeContext } from "../rule.ts";
import type { SealedThinking } from "../thinking-memory.ts";
import type { PlacedBlock } from "../turns.ts";
import { placedThinking, type ThinkingFault } from "./thinking-anthropic.ts";

/** Thinking of another issuer; `rejected` where only the provider's rejection tells so. */
export interface ForeignFault extends ThinkingFault {
  readonly rejected: boolean;
}

export interface SealedFault extends ThinkingFault {
  /** Null where only the provider's rejection tells of the fault. */
  readonly sealed: SealedThinking | null;
}

/** Thinking that another vendor's server signed. */
export function foreignThinking(request: WireRequest, context: JudgeContext): ForeignFault[] {
  const { memory, issuer } = context;
  if (memory === null) return rejectedAsForeign(request, context);
  const foreign = placedThinking(request).flatMap((thinking): ForeignFault[] => {
    const known = thinking.block.kind === "thinking" ? memory.issuerOf(thinking.block)?.name : undefined;
    if (known === undefined || known === issuer) return [];
    const message = `a thinking block was issued by ${known}, not by ${issuer}`;
    return [{ path: thinking.block.path, message, thinking, rejected: false }];
  });
  return foreign.length > 0 ? foreign : rejectedAsForeign(request, context);
}

function rejectedAsForeign(request: WireRequest, context: JudgeContext): ForeignFault[] {
  const thinking = placedThinking(request).find(({ block }) => block.path === context.rejectedAt);
  if (thinking?.block.kind !== "thinking" || isOwnThinking(thinking.block, context)) return [];
  return [{ path: thinking.block.path, message: REJECTED, thinking, rejected: true }];
}

/** Whether this account is known to have issued a block: another one's is taken by nobody else. */
export function isOwnThinking(block: ThinkingBlock, { memory, namespace = "" }: JudgeContext): boolean {
  return memory?.issuerOf(block)?.namespace === namespace;
}

const REJECTED = "the provider does not take the signature of this block";

/** Bound thinking whose prefix is not the one that it was made behind. */
export function unboundThinking(request: WireRequest, context: JudgeContext): SealedFault[] {
  const { memory, issuer } = context;
  if (mismatchBehaviour(request) === "drop_block") return [];
  const known = knownThinking(request, memory).filter(({ sealed }) => sealed.issuer.name === issuer);
  if (known.length === 0) return rejectedThinking(request, context);
  const chain = prefixChainOf(request);
  const unbound = known.filter(({ thinking, sealed }) => chain.before(thinking) !== sealed.prefix);
  if (unbound.length === 0) return rejectedThinking(request, context);
  return unbound.map(({ thinking, sealed }) => ({
    path: thinking.block.path,
    message: `a thinking block is bound to another prefix: ${changedPart(sealed, chain)}`,
    thinking,
    sealed,
  }));
}

/** After a restart nobody remembers a seal; the provider does, and says which block it means. */
function rejectedThinking(request: WireRequest, { memory, rejectedAt }: JudgeContext): SealedFault[] {
  if (rejectedAt === undefined || rejectedAt === null) return [];
  const thinking = placedThinking(request).find(({ block }) => block.path === rejectedAt);
  if (thinking?.block.kind !== "thinking" || memory?.get(thinking.block) !== undefined) return [];
  return [{ path: rejectedAt, message: REJECTED, thinking, sealed: null }];
}

/** `drop_block`, `error` or undefined: what the request itself asks for. */
export function mismatchBehaviour(request: WireRequest): unknown {
  const thinking = request.body.thinking;
  const binding = isObject(thinking) ? thinking.block_binding : undefined;
  return isObject(binding) ? binding.prefix_mismatch_behavior : undefined;
}

function changedPart(sealed: SealedThinking, chain: PrefixChain): string {
  if (sealed.tools !== chain.tools) return "the tools changed";
  if (sealed.system !== chain.system) return "the system prompt changed";
  return "an earlier message was changed, added or is missing";
}

/** Signed thinking of a turn that is not as it was issued: other words, another order, two answers in one row. */
export function modifiedThinking(request: WireRequest, { memory, issuer }: JudgeContext): SealedFault[] {
  const known = knownThinking(request, memory).filter(({ sealed }) => sealed.issuer.name === issuer);
  return known.flatMap(({ thinking, sealed }, index) => {
    const path = thinking.block.path;
    if (blockDigests(thinking.row)[thinking.index] !== sealed.digest) {
      return [{ path, message: "the text of a signed thinking block is not what the model wrote", thinking, sealed }];
    }
    const next = known[index + 1];
    if (next === undefined || next.thinking.row !== thinking.row || keepsOrder(thinking, sealed, next)) return [];
    const message = "the blocks between two signed thinking blocks are not as the model wrote them";
    return [{ path: next.thinking.block.path, message, thinking: next.thinking, sealed: next.sealed }];
  });
}

interface KnownThinking {
  readonly thinking: PlacedBlock;
  readonly sealed: SealedThinking;
}

function knownThinking(request: WireRequest, memory: JudgeContext["memory"]): KnownThinking[] {
  if (memory === null) return [];
  return placedThinking(request).flatMap((thinking) => {
    const sealed = thinking.block.kind === "thinking" ? memory.get(thinking.block) : undefined;
    return sealed === undefined ? [] : [{ thinking, sealed }];
  });
}

/** Between two thinking blocks of one row stands what the answer had there; two answers with calls are two rows. */
function keepsOrder(first: PlacedBlock, sealed: SealedThinking, next: KnownThinking): boolean {
  if (next.sealed.answer !== sealed.answer) return !sealed.answer.hasCalls;
  const sent = blockDigests(first.row).slice(first.index, next.thinking.index + 1);
  const issued = sealed.answer.digests.slice(sealed.index, next.sealed.index + 1);
  return sent.length === issued.length && sent.every((digest, at) => digest === issued[at]);
}
