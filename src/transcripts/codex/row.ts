import { type JsonObject, objectOf } from "../json-value.ts";
import type { RecordRules } from "../record-reader.ts";

/**
 * Rows of a Codex rollout. They have no id of their own: an item is a duplicate where the whole row is equal. Event
 * rows repeat by habit.
 */
export const rules: RecordRules = {
  isRecord: (value) => typeof value.timestamp === "string" && objectOf(value.payload) !== undefined,
  // Length and both ends tell two items apart as surely as the whole, at a fraction of the time.
  identityOf: (value, text) =>
    value.type === "response_item" ? `${text.length} ${text.slice(0, 192)} ${text.slice(-64)}` : undefined,
};

export function owns(rows: readonly JsonObject[]): boolean {
  return rows.some((row) => rules.isRecord(row) && typeof row.type === "string");
}
