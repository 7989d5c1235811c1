/**
 * The one order of everything that is sorted on the way to a hash: by code point, which is also the order of UTF-8
 * bytes, of Python's `sorted`, of PostgreSQL's "C" collation and of SQLite. JavaScript's own order differs for
 * characters beyond U+FFFF, and a locale's order differs from machine to machine (PI-5).
 */

/** Negative where `a` comes first, 0 only for equal strings. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters above every other 16-bit unit, so they rank behind U+E000…U+FFFF. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** A new array, sorted by code point. */
export function sortByCodePoint(strings: Iterable<string>): string[] {
  return [...strings].sort(compareCodePoints);
}
