import type { JsonObject } from "../json-value.ts";
import type { RecordRules } from "../record-reader.ts";

/** Entries of a Pi session: a header, then rows with an id and a parent. */
export const rules: RecordRules = {
  isRecord: (value) => typeof value.type === "string" && typeof value.timestamp === "string",
  identityOf: (value) => (typeof value.id === "string" ? value.id : undefined),
};

export function owns(rows: readonly JsonObject[]): boolean {
  return rows.some((row) => isHeader(row) || isEntry(row));
}

function isHeader(row: JsonObject): boolean {
  return row.type === "session" && typeof row.version === "number";
}

function isEntry(row: JsonObject): boolean {
  return rules.isRecord(row) && typeof row.id === "string" && "parentId" in row;
}
