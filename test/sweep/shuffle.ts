/** Repeatable disorder. */

/** Mulberry32: numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

export function permute<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) => permute(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** The same value with the members of every object in the order that `sort` gives them. Arrays keep theirs. */
export function reorderKeys(value: unknown, sort: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => reorderKeys(item, sort));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = sort(Object.keys(value)).map((name) => [
    name,
    reorderKeys((value as Record<string, unknown>)[name], sort),
  ]);
  return Object.fromEntries(members);
}

/** The order in which jsonb hands keys back: shorter ones first, then by bytes. */
export function sortAsJsonb(names: string[]): string[] {
  return [...names].sort(
    (a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
}
