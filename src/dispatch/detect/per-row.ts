/** Detectors that look at one row at a time: what a row has is found once, and an unchanged history costs nothing. */
import type { Row, WireRequest } from "../../wire/request.ts";
import { rowMemo } from "../../wire/row-memo.ts";

export function perRow<T>(find: (row: Row) => readonly T[]): (request: WireRequest) => T[] {
  const found = rowMemo((row) => find(row));
  return (request) => {
    const all: T[] = [];
    for (const row of request.rows) for (const one of found(row)) all.push(one);
    return all;
  };
}

/** The same for a member of the body that a body read by its difference takes over as the same object. */
export function perObject<T>(find: (value: object) => readonly T[]): (value: unknown) => readonly T[] {
  const known = new WeakMap<object, readonly T[]>();
  return (value) => {
    if (typeof value !== "object" || value === null) return [];
    let found = known.get(value);
    if (found === undefined) {
      found = find(value);
      known.set(value, found);
    }
    return found;
  };
}
