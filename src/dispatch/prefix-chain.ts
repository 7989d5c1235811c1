/**
 * A running hash over what stands in front of each block, in the provider's order: tools, system, then the blocks of
 * the history with their roles. Cache markers are no content; a string is the one block that it means; neighbouring
 * rows of one role are one turn. Two requests with equal hashes have the same prompt prefix.
 */
import { digestObserved } from "../lib/canonical-json-observed.ts";
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import { isObject, type WireRequest } from "../wire/request.ts";
import { rowMemo } from "../wire/row-memo.ts";
import type { PlacedBlock } from "./turns.ts";

export interface PrefixChain {
  readonly tools: Sha256;
  readonly system: Sha256;
  /** Hash in front of the block with this path. */
  before(path: string): Sha256 | undefined;
  /** Hash behind the last row. */
  readonly end: Sha256;
}

export function prefixChainOf(request: WireRequest): PrefixChain {
  const places = new Map<string, Sha256>();
  const walked = walkPrefix(request, ({ block }, hash) => {
    places.set(block.path, hash);
    return true;
  });
  return { ...walked, before: (path) => places.get(path) };
}

/** @param keep is shown every block with the hash in front of it, and says whether it counts for what comes behind */
export function walkPrefix(
  request: WireRequest,
  keep: (placed: PlacedBlock, before: Sha256) => boolean,
): Pick<PrefixChain, "tools" | "system" | "end"> {
  const tools = digestOf(listOf(request.body.tools).map(withoutMarkers));
  const system = digestOf(systemBlocks(request.body.system));
  let hash = sha256Hex(`${tools}\0${system}`);
  for (const row of request.rows) {
    const digests = blockDigests(row);
    row.blocks.forEach((block, index) => {
      if (keep({ block, row, index }, hash)) hash = linked(hash, row.role, digests[index]!);
    });
  }
  return { tools, system, end: hash };
}

/** The chain grown by blocks of one role: what a response adds. */
export function linked(hash: Sha256, role: string, digest: Sha256): Sha256 {
  return sha256Hex(`${hash}\0${role}\0${digest}`);
}

/** Digests of the blocks of a row. */
export const blockDigests = rowMemo((row): readonly Sha256[] =>
  row.blocks.map((block) => (typeof block.value === "string" ? textDigest(block.value) : blockDigest(block.value))),
);

/** Text and textual results are nearly all bytes of a history: they are hashed as they are, without being written as JSON. */
export function blockDigest(value: unknown): Sha256 {
  const block = withoutMarkers(value);
  if (!isObject(block)) return digestOf(block);
  const members = Object.keys(block).length;
  if (block.type === "text" && typeof block.text === "string" && members === 2) return textDigest(block.text);
  if (block.type === "tool_result" && typeof block.content === "string" && members === 3) {
    return sha256Hex(`result\0${JSON.stringify(block.tool_use_id ?? null)}\0${textDigest(block.content)}`);
  }
  return digestOf(block);
}

/** Half a surrogate pair has no UTF-8; two different ones must not share a hash. */
function textDigest(text: string): Sha256 {
  return sha256Hex(text.isWellFormed() ? text : JSON.stringify(text));
}

/** Hosts put a line with a new number into every request; it is not part of the prompt (DG-63). */
const VOLATILE_SYSTEM_TEXT = "x-anthropic-billing-header:";

function systemBlocks(system: unknown): unknown[] {
  if (typeof system === "string") return system === "" ? [] : [{ type: "text", text: system }];
  return listOf(system)
    .filter(
      (block) => !(isObject(block) && typeof block.text === "string" && block.text.startsWith(VOLATILE_SYSTEM_TEXT)),
    )
    .map(withoutMarkers);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isObject(value)) return value;
  if (!("cache_control" in value) && !Array.isArray(value.content)) return value;
  const { cache_control: _, ...rest } = value;
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(withoutMarkers) } : rest;
}

function digestOf(value: unknown): Sha256 {
  return digestObserved(value, () => Buffer.from(JSON.stringify(value) ?? ""));
}
