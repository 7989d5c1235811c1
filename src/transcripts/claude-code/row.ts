import { basename } from "node:path";
import { type JsonObject, textOf } from "../json-value.ts";
import type { RecordRules } from "../record-reader.ts";

/**
 * Rows of Claude Code: chained ones have a `uuid`, others only a session; the rows of its request log have neither.
 * Member order differs by version, so nothing here looks at the beginning of a line.
 */
export const rules: RecordRules = {
  isRecord: (value) => typeof value.type === "string" && (hasOwner(value) || isRequestRow(value)),
  identityOf: (value) => textOf(value.uuid),
};

export function owns(rows: readonly JsonObject[], path: string): boolean {
  // The journal of a workflow lies among the transcripts and is none.
  return basename(path) !== "journal.jsonl" && rows.some((row) => rules.isRecord(row));
}

function hasOwner(value: JsonObject): boolean {
  return typeof value.sessionId === "string" || typeof value.uuid === "string" || "leafUuid" in value;
}

function isRequestRow(value: JsonObject): boolean {
  return String(value.type).startsWith("api-request");
}
