/** Compared at memory speed, block by block; only the block that differs is halved. */
const BLOCK_BYTES = 128 * 1024;

/** How many bytes two arrays share from the start. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const left = bufferOf(a);
  const right = bufferOf(b);
  const end = Math.min(left.length, right.length);
  let at = 0;
  while (at < end) {
    const blockEnd = Math.min(at + BLOCK_BYTES, end);
    if (!sameBytes(left, right, at, blockEnd)) return firstDifference(left, right, at, blockEnd);
    at = blockEnd;
  }
  return end;
}

/** The same memory: a method of `Buffer` compares ranges without an object for each. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function sameBytes(a: Buffer, b: Buffer, start: number, end: number): boolean {
  return a.compare(b, start, end, start, end) === 0;
}

/** A call costs more than looking at this many bytes one by one. */
const NEAR_BYTES = 128;

function firstDifference(a: Buffer, b: Buffer, start: number, end: number): number {
  let low = start;
  let high = end;
  while (high - low > NEAR_BYTES) {
    const middle = (low + high) >> 1;
    if (sameBytes(a, b, low, middle)) low = middle;
    else high = middle;
  }
  while (low < high && a[low] === b[low]) low += 1;
  return low;
}
