import type { JsonObject } from "../json-value.ts";
import { rules as piRules } from "../pi/row.ts";
import type { RecordRules } from "../record-reader.ts";

/** Entries of OMP are Pi's, behind a title line that is rewritten in place. */
export const rules: RecordRules = {
  isRecord: (value) => isTitle(value) || piRules.isRecord(value),
  identityOf: (value) => piRules.identityOf(value, ""),
};

const ownTypes = new Set(["model_usage", "service_tier_change", "reset_boundary", "ttsr_injection", "credential_pin"]);

export function owns(rows: readonly JsonObject[], path: string): boolean {
  const isFamily = rows.some((row) => isTitle(row) || (row.type === "session" && typeof row.version === "number"));
  if (!isFamily) return false;
  return /[\\/]\.omp[\\/]/.test(path) || rows.some((row) => isTitle(row) || ownTypes.has(String(row.type)));
}

function isTitle(row: JsonObject): boolean {
  return row.type === "title" && "v" in row;
}
