/** The name that a person most likely meant: typing errors are one or two letters away (CL-1). */
export function findNearestName(typed: string, names: readonly string[]): string | null {
  let best: string | null = null;
  // A word of which every letter is another one was not meant.
  let bestDistance = Math.min(typed.length, Math.max(2, Math.floor(typed.length / 3)) + 1);
  for (const name of names) {
    const distance = measureEdits(typed, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions and replacements between two words (Levenshtein), row by row. */
function measureEdits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[to.length]!;
}
