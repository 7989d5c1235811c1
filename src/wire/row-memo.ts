/**
 * What is found out about a row is kept at the row. A body that is read by its difference takes its old rows over as the
 * same objects, so an unchanged history is asked nothing twice. A field is used because weak maps of thousands of rows
 * cost more than most of the answers.
 */
import type { Row } from "./request.ts";

let slots = 0;

/** A question about one row, answered once per row object. */
export function rowMemo<T>(answer: (row: Row) => T): (row: Row) => T {
  const slot = slots++;
  return (row) => {
    row.memo ??= [];
    const memo = row.memo;
    if (!(slot in memo)) memo[slot] = answer(row);
    return memo[slot] as T;
  };
}

/**
 * The rows of a history, those of the body before it taken over where their values are the same objects.
 * @param known rows of the body before
 */
export function readRows(
  values: readonly unknown[],
  known: readonly Row[] | undefined,
  read: (value: unknown, index: number) => Row,
): readonly Row[] {
  if (known === undefined) return values.map(read);
  return values.map((value, index) => (known[index]?.value === value ? known[index]! : read(value, index)));
}
