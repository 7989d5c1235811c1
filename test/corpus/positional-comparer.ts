/**
 * How a guard that compares rows by their position judges what a host made of a prepared history: the comparison that
 * refused legal turns. It only labels fixtures; nothing of the product knows it.
 */

export interface PlainRow {
  readonly role?: string;
  readonly type?: string;
}

/** The first difference, or null where it would let the turn go. */
export function comparePositions(
  prepared: readonly PlainRow[],
  observed: readonly PlainRow[],
): "role" | "content" | "count" | null {
  for (const [index, row] of prepared.slice(0, observed.length).entries()) {
    if (roleOf(row) !== roleOf(observed[index]!)) return "role";
    if (JSON.stringify(row) !== JSON.stringify(observed[index])) return "content";
  }
  return prepared.length === observed.length ? null : "count";
}

function roleOf(row: PlainRow): string | undefined {
  return row.role ?? row.type;
}
