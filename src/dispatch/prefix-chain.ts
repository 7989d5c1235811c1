/**
 * A running hash over what stands in front of each block, in the provider's order: tools, system, then the blocks of
 * the history with their roles. Cache markers are no content; a string is the one block that it means; neighbouring
 * rows of one role are one turn. Two requests with equal hashes have the same prompt prefix.
 */
import { digestObserved } from "../lib/canonical-json-observed.ts";
import { objectMemo } from "../lib/object-memo.ts";
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import { isObject, type JsonObject, listOf, type Row, type WireRequest } from "../wire/request.ts";
import { historyMemo, rowMemo } from "../wire/row-memo.ts";
import { volatileNameOf } from "../wire/volatile-block.ts";
import type { PlacedBlock } from "./turns.ts";

export interface PrefixChain {
  readonly tools: Sha256;
  readonly system: Sha256;
  /** Hash in front of a block. */
  before(placed: Pick<PlacedBlock, "row" | "index">): Sha256;
  /** Hash behind the last row. */
  readonly end: Sha256;
}

export function prefixChainOf(request: WireRequest): PrefixChain {
  const { tools, system, start } = headOf(request.body);
  const links = linksOf(request.rows);
  if (links.start !== start) Object.assign(links, { start, ends: [] });
  const { ends } = links;
  for (let at = ends.length; at < request.rows.length; at++) {
    const row = request.rows[at]!;
    ends.push(behind(ends[at - 1] ?? start, row, row.blocks.length));
  }
  const before: PrefixChain["before"] = ({ row, index }) => behind(ends[row.index - 1] ?? start, row, index);
  return { tools, system, before, end: ends.at(-1) ?? start };
}

/** The hash behind each row, for one beginning. It is filled when somebody asks. */
interface Links {
  start: Sha256 | null;
  ends: Sha256[];
}

const linksOf = historyMemo<Links>((_rows, earlier) =>
  earlier === null
    ? { start: null, ends: [] }
    : { start: earlier.answer.start, ends: earlier.answer.ends.slice(0, earlier.shared) },
);

/** The hash grown by the first blocks of a row. */
function behind(hash: Sha256, row: Row, blocks: number): Sha256 {
  const digests = blockDigests(row);
  let grown = hash;
  for (let at = 0; at < blocks; at++) grown = linked(grown, row.role, digests[at]!);
  return grown;
}

/** @param keep is shown every block with the hash in front of it, and says whether it counts for what comes behind */
export function walkPrefix(request: WireRequest, keep: (placed: PlacedBlock, before: Sha256) => boolean): void {
  let hash = headOf(request.body).start;
  for (const row of request.rows) {
    const digests = blockDigests(row);
    row.blocks.forEach((block, index) => {
      if (keep({ block, row, index }, hash)) hash = linked(hash, row.role, digests[index]!);
    });
  }
}

/** What stands in front of the history. */
function headOf({ tools, system }: JsonObject): { tools: Sha256; system: Sha256; start: Sha256 } {
  const digests = { tools: toolsDigest(listOf(tools)), system: systemDigestOf(system) };
  return { ...digests, start: sha256Hex(`${digests.tools}\0${digests.system}`) };
}

const toolsDigest = objectMemo((tools: readonly unknown[]) => digestOf(tools.map(withoutMarkers)));

function systemDigestOf(system: unknown): Sha256 {
  if (typeof system !== "string") return systemDigest(listOf(system));
  return systemDigest(system === "" ? [] : [{ type: "text", text: system }]);
}

const systemDigest = objectMemo((blocks: readonly unknown[]) =>
  digestOf(blocks.filter((block) => volatileNameOf(block) === null).map(withoutMarkers)),
);

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
