/**
 * What is found out about a row is kept at the row, and what is found in a whole history is kept at the history. A body
 * that is read by its difference takes its old rows over as the same objects, so an unchanged history is asked nothing
 * twice. A field is used because weak maps of thousands of rows cost more than most of the answers.
 */
import { grownList } from "../lib/grown-list.ts";
import { isObject, type Row } from "./request.ts";

let slots = 0;

/** A question about one row, answered once per row object. */
export function rowMemo<T extends object>(answer: (row: Row) => T): (row: Row) => T {
  const slot = slots++;
  return (row) => {
    row.memo ??= [];
    const memo = row.memo;
    memo[slot] ??= answer(row);
    return memo[slot] as T;
  };
}

/** What is known of the history that another one took its first rows over from. */
export interface Earlier<T> {
  readonly answer: T;
  /** Rows at the start that are the same objects in both. */
  readonly shared: number;
}

interface History {
  /** What the rows were read from: compared without a look at the rows themselves, which lie all over the memory. */
  readonly values: readonly unknown[];
  /** A slot for each question. */
  readonly answers: unknown[];
  readonly earlier: Earlier<unknown[]> | null;
}

const histories = new WeakMap<readonly Row[], History>();

/** A question about all rows, answered once per history, and from the answer about the history that it grew out of. */
export function historyMemo<T extends object>(
  answer: (rows: readonly Row[], earlier: Earlier<T> | null) => T,
): (rows: readonly Row[]) => T {
  const slot = slots++;
  return (rows) => {
    const { answers, earlier } = histories.get(rows) ?? remember(rows, [], null);
    if (answers[slot] === undefined) {
      const before = earlier?.answer[slot] as T | undefined;
      answers[slot] = answer(rows, before === undefined ? null : { answer: before, shared: earlier!.shared });
    }
    return answers[slot] as T;
  };
}

function remember(rows: readonly Row[], values: readonly unknown[], earlier: Earlier<unknown[]> | null): History {
  const history = { values, answers: [], earlier };
  histories.set(rows, history);
  return history;
}

/** A search through the rows one by one: in those that were taken over, nothing is looked for again. */
export function searchRows<T>(find: (row: Row) => readonly T[]): (rows: readonly Row[]) => T[] {
  const search = historyMemo<{ row: number; value: T }[]>((rows, earlier) => {
    const from = earlier?.shared ?? 0;
    const found = earlier === null ? [] : earlier.answer.filter(({ row }) => row < from);
    for (let row = from; row < rows.length; row++) for (const value of find(rows[row]!)) found.push({ row, value });
    return found;
  });
  return (rows) => search(rows).map(({ value }) => value);
}

/** The same for what shows only beside the rows in front and behind. */
export function searchNeighbours<T>(
  find: (row: Row, before: Row | undefined, behind: Row | undefined) => readonly T[],
): (rows: readonly Row[]) => T[] {
  const search = historyMemo<{ row: number; value: T }[]>((rows, earlier) => {
    // Behind the last shared row stands another one now.
    const from = Math.max(0, (earlier?.shared ?? 0) - 1);
    const found = earlier === null ? [] : earlier.answer.filter(({ row }) => row < from);
    for (let row = from; row < rows.length; row++) {
      for (const value of find(rows[row]!, rows[row - 1], rows[row + 1])) found.push({ row, value });
    }
    return found;
  });
  return (rows) => search(rows).map(({ value }) => value);
}

/**
 * The rows of a history, those of the body before it taken over where their values are the same objects, or copies that
 * hold the same ones: some hosts copy each message for each request.
 * @param known rows of the body before
 */
export function readRows(
  values: readonly unknown[],
  known: readonly Row[] = [],
  read: (value: unknown, index: number) => Row,
): readonly Row[] {
  const before = histories.get(known);
  const shared = before === undefined ? 0 : sharedValues(before.values, values);
  const rows = grownList(
    known,
    shared,
    values.slice(shared).map((value, nth) => read(value, shared + nth)),
  );
  // Only its answers are passed on: a history that held on to the one before it would hold on to all of them.
  remember(rows, values, before === undefined ? null : { answer: before.answers, shared });
  return rows;
}

function sharedValues(known: readonly unknown[], values: readonly unknown[]): number {
  const end = Math.min(known.length, values.length);
  let shared = 0;
  while (shared < end && (known[shared] === values[shared] || isCopy(known[shared], values[shared]))) shared += 1;
  return shared;
}

function isCopy(known: unknown, value: unknown): boolean {
  if (!isObject(known) || !isObject(value)) return false;
  const names = Object.keys(known);
  return (
    names.length > 0 && names.length === Object.keys(value).length && names.every((name) => known[name] === value[name])
  );
}
