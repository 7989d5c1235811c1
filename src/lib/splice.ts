/**
 * New request bytes from old ones. This file is the only place that makes request bytes: everything outside the edits
 * is copied, never re-serialised (DG-24).
 */

export interface Splice {
  /** Byte offset of the first byte that is replaced. */
  readonly start: number;
  /** Byte offset behind the last byte that is replaced; equal to `start` for an insertion. */
  readonly end: number;
  readonly bytes: Uint8Array;
}

/**
 * `bytes` with every splice applied. Splices at one offset are applied in the order given.
 * @throws RangeError where splices overlap or leave the body: the caller built them wrongly
 */
export function splice(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const sorted = splices.map((one, index) => ({ one, index }));
  sorted.sort((a, b) => a.one.start - b.one.start || a.index - b.index);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { one } of sorted) {
    if (one.start < at || one.end < one.start || one.end > bytes.length) {
      throw new RangeError(`splice ${one.start}..${one.end} overlaps ${at} or leaves the ${bytes.length} byte body`);
    }
    parts.push(bytes.subarray(at, one.start), one.bytes);
    at = one.end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}
