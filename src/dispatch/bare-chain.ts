/**
 * A history as it is without our texts: the same chain, whether they are in it or not, and wherever they stand. It says
 * which conversation it is that has lost one of them.
 */
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import { type Block, isObject, type Row } from "../wire/request.ts";
import { historyMemo } from "../wire/row-memo.ts";
import { blockDigest, blockDigests, linked } from "./prefix-chain.ts";
import type { ReceiptIndex } from "./receipt.ts";
import type { PlacedReceipt } from "./receipt-search.ts";
import type { RowChain } from "./row-chain.ts";

/** The chain of the rows that hold more than our texts, and how many of them stand up to each row of the history. */
interface Bare {
  readonly index: ReceiptIndex | null;
  readonly seed: string;
  readonly rows: Row[];
  readonly hashes: Sha256[];
  readonly counts: number[];
}

const bareOf = historyMemo<{ bare: Bare | null }>((_rows, earlier) => {
  const before = earlier?.answer.bare ?? null;
  if (earlier === null || before === null) return { bare: null };
  const counts = before.counts.slice(0, earlier.shared);
  const kept = counts.at(-1) ?? 0;
  const bare = { ...before, rows: before.rows.slice(0, kept), hashes: before.hashes.slice(0, kept), counts };
  return { bare };
});

/** @param found our texts in this history, as the same index found them */
export function bareChainOf(
  rows: readonly Row[],
  index: ReceiptIndex,
  seed: string,
  found: readonly PlacedReceipt[],
): RowChain {
  const ours = new Set(found.map(({ row }) => row));
  const known = bareOf(rows);
  if (known.bare?.index !== index || known.bare.seed !== seed) {
    known.bare = { index, seed, rows: [], hashes: [], counts: [] };
  }
  const { bare } = known;
  for (let at = bare.counts.length; at < rows.length; at++) {
    const row = rows[at]!;
    const digests = ours.has(row.index) ? bareDigests(row, (text) => spansIn(text, index)) : blockDigests(row);
    if (digests.length > 0) {
      const before = bare.hashes.at(-1) ?? sha256Hex(seed);
      bare.hashes.push(digests.reduce((hash, digest) => linked(hash, row.role, digest), before));
      bare.rows.push(row);
    }
    bare.counts.push(bare.rows.length);
  }
  return bare;
}

/**
 * The same for a history in which some of our texts were rewritten: what is left of them is taken for the whole.
 * @param halves of the texts that are missing
 */
export function rewrittenChainOf(
  rows: readonly Row[],
  index: ReceiptIndex,
  halves: ReceiptIndex,
  seed: string,
): RowChain & { readonly rewritten: ReadonlySet<string> } {
  const rewritten = new Set<string>();
  const bare: { rows: Row[]; hashes: Sha256[] } = { rows: [], hashes: [] };
  for (const row of rows) {
    const digests = bareDigests(row, (text) => [...spansIn(text, index), ...remainsIn(text, halves, rewritten)]);
    if (digests.length === 0) continue;
    const before = bare.hashes.at(-1) ?? sha256Hex(seed);
    bare.hashes.push(digests.reduce((hash, digest) => linked(hash, row.role, digest), before));
    bare.rows.push(row);
  }
  return { ...bare, seed, rewritten };
}

interface Span {
  readonly at: number;
  readonly end: number;
}

function spansIn(text: string, index: ReceiptIndex): readonly Span[] {
  return index.find(text);
}

/** From the half that is left to where the other one would reach; to the edge of the text where no line begins there. */
function remainsIn(text: string, halves: ReceiptIndex, rewritten: Set<string>): Span[] {
  return halves.findAnywhere(text).map(({ receipt, part, at, end }) => {
    rewritten.add(receipt.id);
    if (part === 0) return { at, end: text.length };
    const start = end - receipt.length;
    return { at: start > 0 && text[start - 1] === "\n" ? start : 0, end };
  });
}

function bareDigests(row: Row, spansOf: (text: string) => readonly Span[]): readonly Sha256[] {
  const digests = blockDigests(row);
  if (row.role === "assistant") return digests;
  return row.blocks.flatMap((block, at) => {
    const spans = block.kind === "text" ? spansOf(block.text) : [];
    if (block.kind !== "text" || spans.length === 0) return [digests[at]!];
    const rest = withoutSpans(block.text, spans);
    return rest === "" ? [] : [blockDigest(withText(block, rest))];
  });
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let rest = "";
  let end = 0;
  for (const span of spans.toSorted((a, b) => a.at - b.at)) {
    if (span.at > end) rest += text.slice(end, span.at);
    end = Math.max(end, span.end);
  }
  // A host's own frame around ours goes with it.
  return `${rest}${text.slice(end)}`.replaceAll(EMPTY_FRAME, "").trim();
}

const EMPTY_FRAME = /<([\w-]+)>\s*<\/\1>/g;

function withText({ value }: Block, text: string): unknown {
  return isObject(value) ? { ...value, text } : { type: "text", text };
}
