/**
 * A running hash over what stands in front of each block, in the provider's order: tools, system, then the blocks of
 * the history with their roles. Cache markers are no content; a string is the one block that it means; neighbouring
 * rows of one role are one turn. Two requests with equal hashes have the same prompt prefix.
 */
import { digestObserved } from "../lib/canonical-json-observed.ts";
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import { isObject, type Row, type WireRequest } from "../wire/request.ts";
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

const digestsOfRow = new WeakMap<object, readonly Sha256[]>();

/** Digests of the blocks of a row; computed once per row object, so that an unchanged history costs nothing. */
export function blockDigests(row: Row): readonly Sha256[] {
  let digests = digestsOfRow.get(row.value);
  if (digests === undefined || digests.length !== row.blocks.length) {
    digests = row.blocks.map((block) =>
      digestOf(typeof block.value === "string" ? { type: "text", text: block.value } : withoutMarkers(block.value)),
    );
    digestsOfRow.set(row.value, digests);
  }
  return digests;
}

export function blockDigest(value: unknown): Sha256 {
  return digestOf(withoutMarkers(value));
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
  const { cache_control: _, ...rest } = value;
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(withoutMarkers) } : rest;
}

function digestOf(value: unknown): Sha256 {
  return digestObserved(value, Buffer.from(JSON.stringify(value) ?? ""));
}
