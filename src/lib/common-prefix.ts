/** Compared at memory speed, block by block; only the block that differs is halved. */
const BLOCK_BYTES = 256 * 1024;

/** How many bytes two arrays share from the start. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end) {
    const blockEnd = Math.min(at + BLOCK_BYTES, end);
    if (!sameBytes(a, b, at, blockEnd)) return at + firstDifference(a, b, at, blockEnd);
    at = blockEnd;
  }
  return end;
}

export function sameBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  return Buffer.compare(a.subarray(start, end), b.subarray(start, end)) === 0;
}

/** A call costs more than looking at this many bytes one by one. */
const NEAR_BYTES = 512;

function firstDifference(a: Uint8Array, b: Uint8Array, start: number, end: number): number {
  let low = start;
  let high = end;
  while (high - low > NEAR_BYTES) {
    const middle = (low + high) >> 1;
    if (sameBytes(a, b, low, middle)) low = middle;
    else high = middle;
  }
  while (low < high && a[low] === b[low]) low += 1;
  return low - start;
}
