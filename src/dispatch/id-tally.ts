/**
 * How often each id of a history stands in which part, kept up with the rows that come and go: whether anything about
 * the ids is odd is known without a look at the rows that were there before.
 */
import type { Row } from "../wire/request.ts";
import { type Earlier, historyMemo } from "../wire/row-memo.ts";

export interface IdMark<Part extends string> {
  readonly id: string;
  readonly part: Part;
}

export type PartCounts<Part extends string> = Readonly<Record<Part, number>>;

interface Tally<Part extends string> {
  /** The marks of each row. */
  readonly marks: readonly (readonly IdMark<Part>[])[];
  readonly isOdd: boolean;
  /** Handed on to the history that grows out of this one. */
  counts: IdCounts<Part> | null;
}

/**
 * @param marksOf the ids that a row holds, and the part in which each stands
 * @returns whether any id of a history is odd
 */
export function idTally<Part extends string>(
  parts: readonly Part[],
  marksOf: (row: Row) => readonly IdMark<Part>[],
  isOdd: (counts: PartCounts<Part>) => boolean,
): (rows: readonly Row[]) => boolean {
  const tally = historyMemo<Tally<Part>>((rows, earlier) => {
    const shared = earlier?.shared ?? 0;
    const counts = takeOver(earlier) ?? new IdCounts(parts, isOdd);
    const marks = earlier?.answer.marks.slice(0, shared) ?? [];
    if (counts.rows !== shared) for (const known of marks) counts.add(known);
    for (let at = shared; at < rows.length; at++) {
      const found = marksOf(rows[at]!);
      counts.add(found);
      marks.push(found);
    }
    return { marks, counts, isOdd: counts.areOdd };
  });
  return (rows) => tally(rows).isOdd;
}

/** The counts of the rows that both have; null where they have been handed on already, to another history. */
function takeOver<Part extends string>(earlier: Earlier<Tally<Part>> | null): IdCounts<Part> | null {
  const counts = earlier?.answer.counts ?? null;
  if (earlier === null || counts === null) return null;
  earlier.answer.counts = null;
  for (const gone of earlier.answer.marks.slice(earlier.shared)) counts.remove(gone);
  return counts;
}

class IdCounts<Part extends string> {
  /** How many rows are counted. */
  rows = 0;
  readonly #counts = new Map<string, Record<Part, number>>();
  readonly #odd = new Set<string>();
  readonly #parts: readonly Part[];
  readonly #isOdd: (counts: PartCounts<Part>) => boolean;

  constructor(parts: readonly Part[], isOdd: (counts: PartCounts<Part>) => boolean) {
    this.#parts = parts;
    this.#isOdd = isOdd;
  }

  get areOdd(): boolean {
    return this.#odd.size > 0;
  }

  add(marks: readonly IdMark<Part>[]): void {
    this.rows += 1;
    for (const mark of marks) this.#count(mark, 1);
  }

  remove(marks: readonly IdMark<Part>[]): void {
    this.rows -= 1;
    for (const mark of marks) this.#count(mark, -1);
  }

  #count({ id, part }: IdMark<Part>, by: 1 | -1): void {
    const counts = this.#counts.get(id) ?? this.#none();
    counts[part] += by;
    if (this.#parts.every((name) => counts[name] === 0)) this.#counts.delete(id);
    else this.#counts.set(id, counts);
    if (this.#isOdd(counts)) this.#odd.add(id);
    else this.#odd.delete(id);
  }

  #none(): Record<Part, number> {
    return Object.fromEntries(this.#parts.map((name) => [name, 0])) as Record<Part, number>;
  }
}
