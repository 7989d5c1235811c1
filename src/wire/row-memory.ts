/**
 * Rows by the value that they were read from. A body that is read by its difference holds the same objects as the body
 * before it, so its old rows are found here and everything that is known of a row stays known.
 */
import type { Row } from "./request.ts";

const rows = new WeakMap<object, Row>();

/** @param read called only for a value that was not read at this index before */
export function rememberedRow(value: unknown, index: number, read: (value: unknown, index: number) => Row): Row {
  if (typeof value !== "object" || value === null) return read(value, index);
  const known = rows.get(value);
  if (known !== undefined && known.index === index) return known;
  const row = read(value, index);
  rows.set(value, row);
  return row;
}
