/** Detectors that look at one row at a time: what a row has is found once, and an unchanged history costs nothing. */
import { objectMemo } from "../../lib/object-memo.ts";
import type { Row, WireRequest } from "../../wire/request.ts";
import { searchRows } from "../../wire/row-memo.ts";

export function perRow<T>(find: (row: Row) => readonly T[]): (request: WireRequest) => T[] {
  const search = searchRows(find);
  return (request) => search(request.rows);
}

/** The same for a member of the body that a body read by its difference takes over as the same object. */
export function perObject<T>(find: (value: object) => readonly T[]): (value: unknown) => readonly T[] {
  const found = objectMemo(find);
  return (value) => (typeof value === "object" && value !== null ? found(value) : []);
}
