/** Which growing history a request belongs to (`docs/spec/dispatch.md`, section 1). Pure: the caller keeps the lanes. */
import { blockDigests } from "../dispatch/prefix-chain.ts";
import { type RowChain, type RowHashes, sharedRows } from "../dispatch/row-chain.ts";
import type { Row } from "../wire/request.ts";

export interface LaneView {
  readonly id: string;
  readonly chain: RowHashes;
}

export type LaneDecision<L extends LaneView> =
  /** The history of this lane and at least one assistant row more. */
  | { readonly kind: "extends"; readonly lane: L }
  /** The same request once more. */
  | { readonly kind: "repeats"; readonly lane: L }
  /** It leaves the lane at an earlier row: an edited, rewound or branched history. */
  | { readonly kind: "forks"; readonly lane: L; readonly rows: number }
  | { readonly kind: "opens" };

/** A lane is joined only by extending it; an equal id or key in the request proves nothing. */
export function decideLane<L extends LaneView>(lanes: readonly L[], chain: RowChain): LaneDecision<L> {
  let fork: { lane: L; rows: number } | null = null;
  let extended: L | null = null;
  for (const lane of lanes) {
    const rows = sharedRows(lane.chain, chain);
    const whole = rows === lane.chain.hashes.length && rows > 0;
    if (whole && rows === chain.hashes.length) return { kind: "repeats", lane };
    if (whole && hasReply(chain, rows) && rows > (extended?.chain.hashes.length ?? 0)) extended = lane;
    // Without a common reply two histories only begin with the same words.
    else if (hasReply({ ...chain, rows: chain.rows.slice(0, rows) }, 0) && rows > (fork?.rows ?? 0))
      fork = { lane, rows };
  }
  // What leaves a lane further on than another one ends has left it, and does not go on with the shorter one.
  if (extended !== null && (fork?.rows ?? 0) <= extended.chain.hashes.length)
    return { kind: "extends", lane: extended };
  return fork === null ? { kind: "opens" } : { kind: "forks", ...fork };
}

/**
 * Of the lanes, the last one whose newest reply and all behind it stand in these rows, although they begin in another
 * way: its history was cut or changed at the start, and goes on.
 */
export function findRewritten<L extends { readonly rows: readonly Row[] }>(
  lanes: readonly L[],
  rows: readonly Row[],
): L | null {
  const words = rows.map(wordOf);
  const isRewritten = (lane: L): boolean => {
    const reply = lane.rows.findLastIndex((row) => row.role === "assistant");
    if (reply === -1) return false;
    const end = lane.rows.slice(reply).map(wordOf);
    const at = words.lastIndexOf(end[0]!);
    return at !== -1 && end.every((word, index) => words[at + index] === word);
  };
  return lanes.findLast(isRewritten) ?? null;
}

/** Equal for rows that say the same. */
function wordOf(row: Row): string {
  return [row.role, ...blockDigests(row)].join(" ");
}

function hasReply(chain: RowChain, from: number): boolean {
  return chain.rows
    .slice(from)
    .some((row) => row.role === "assistant" || row.blocks.some((block) => block.kind === "call"));
}

/** A new operation begins where the user says something; results of tools and repeats go on with the old one (DG-41). */
export function opensOperation(chain: RowChain): boolean {
  const lastReply = chain.rows.findLastIndex((row) => row.role === "assistant");
  return chain.rows
    .slice(lastReply + 1)
    .some((row) => row.role === "user" && row.blocks.some((block) => block.kind !== "result"));
}
