/**
 * A keyed running hash over the rows of a history: equal at a row exactly if everything up to that row is equal. Markers
 * and the spelling of one text as string or block do not count.
 */
import { grownList } from "../lib/grown-list.ts";
import { type Sha256, sha256Hex } from "../lib/sha256.ts";
import type { Row } from "../wire/request.ts";
import { blockDigests, linked } from "./prefix-chain.ts";

export interface RowChain extends RowHashes {
  readonly seed: string;
  readonly rows: readonly Row[];
}

/** What stays of a chain where the rows themselves would be too much to keep. */
export interface RowHashes {
  /** Hash behind each row. */
  readonly hashes: readonly Sha256[];
}

/**
 * @param seed a keyed hash of the namespace, so that equal histories of two credentials have nothing in common
 * @param before rows that are the same objects there are not hashed again, where it has the same seed
 */
export function rowChainOf(rows: readonly Row[], seed: string, before: RowChain | null): RowChain {
  let same = 0;
  while (before?.seed === seed && same < rows.length && rows[same] === before.rows[same]) same += 1;
  let hash = before?.hashes[same - 1] ?? sha256Hex(seed);
  const fresh = rows.slice(same).map((row) => {
    for (const digest of blockDigests(row)) hash = linked(hash, row.role, digest);
    return hash;
  });
  return { seed, rows, hashes: grownList(before?.hashes ?? [], same, fresh) };
}

/** How many rows two chains share from the start: equal at a row means equal before it, so halving finds the border. */
export function sharedRows(a: RowHashes, b: RowHashes): number {
  let low = 0;
  let high = Math.min(a.hashes.length, b.hashes.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (a.hashes[middle - 1] === b.hashes[middle - 1]) low = middle;
    else high = middle - 1;
  }
  return low;
}
