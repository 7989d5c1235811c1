/** Arguments of one call stand on the stack, which has an end. */
const ARGUMENTS_MAX = 1_000;

/** The first `kept` elements of a list and the fresh ones behind them. The list is copied once, and no room is left. */
export function grownList<T>(list: readonly T[], kept: number, fresh: readonly T[]): T[] {
  if (fresh.length > ARGUMENTS_MAX) return list.slice(0, kept).concat(fresh);
  return list.toSpliced(kept, list.length - kept, ...fresh);
}
