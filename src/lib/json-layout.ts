/**
 * The outline of a body that `JSON.parse` has taken: where its members stand, and where each element of one array ends.
 * It skips over values without looking into them, so it is not a check of anything.
 */

export interface JsonLayout {
  readonly members: readonly MemberPlace[];
  /** Elements of the array member that was asked for, in order; empty where there is none. */
  readonly elements: readonly ElementPlace[];
}

export interface MemberPlace {
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface ElementPlace {
  readonly start: number;
  readonly end: number;
}

/** @param bytes a JSON object @param arrayName the member whose elements are wanted */
export function layoutOf(bytes: Uint8Array, arrayName: string): JsonLayout {
  const members: MemberPlace[] = [];
  let elements: ElementPlace[] = [];
  let at = skipSpace(bytes, bytes.indexOf(OPEN_OBJECT) + 1);
  while (bytes[at] === QUOTE) {
    const start = at;
    const nameEnd = skipString(bytes, at);
    const name = JSON.parse(decode(bytes, start, nameEnd)) as string;
    const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    if (name === arrayName && bytes[valueStart] === OPEN_ARRAY) {
      elements = [];
      at = elementsOf(bytes, valueStart, elements);
    } else at = skipValue(bytes, valueStart);
    members.push({ name, start, valueStart, valueEnd: at });
    at = skipSpace(bytes, at);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return { members, elements };
}

/** Collects the elements of an array that begins at `start`; returns the offset behind its bracket. */
export function elementsOf(bytes: Uint8Array, start: number, elements: ElementPlace[]): number {
  let at = skipSpace(bytes, start + 1);
  while (at < bytes.length && bytes[at] !== CLOSE_ARRAY) {
    const end = skipValue(bytes, at);
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Offset behind the value that begins at `at`. */
function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return skipScalar(bytes, at);
  let depth = 0;
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next];
    if (byte === QUOTE) {
      next = skipString(bytes, next);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return next + 1;
    }
    next += 1;
  }
  return next;
}

/** Most strings end soon; in one that does not, looking for the next quote is faster than looking at each byte. */
const NEAR_BYTES = 48;

function skipString(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  const near = Math.min(next + NEAR_BYTES, bytes.length);
  while (next < near) {
    const byte = bytes[next];
    if (byte === QUOTE) return next + 1;
    next += byte === BACKSLASH ? 2 : 1;
  }
  while (next < bytes.length) {
    const quote = bytes.indexOf(QUOTE, next);
    if (quote === -1) return bytes.length;
    if (!isEscaped(bytes, quote, next)) return quote + 1;
    next = quote + 1;
  }
  return next;
}

/** @param from where no escape is open */
function isEscaped(bytes: Uint8Array, at: number, from: number): boolean {
  let start = at;
  while (start > from && bytes[start - 1] === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

function skipScalar(bytes: Uint8Array, at: number): number {
  let next = at;
  for (let byte = bytes[next]; byte !== undefined; byte = bytes[++next]) {
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte <= 0x20) break;
  }
  return next;
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (bytes[next] === 0x20 || bytes[next] === 0x0a || bytes[next] === 0x0d || bytes[next] === 0x09) next += 1;
  return next;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}
