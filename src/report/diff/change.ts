/** One thing that moved between two requests of a session, and which of several decides. */
import type { PathStep } from "../../lib/json-pointer.ts";
import type { VolatileKind } from "./volatile-text.ts";

export const CAUSES = [
  "append",
  "identical",
  "model",
  "tool_order",
  "tool_added",
  "tool_removed",
  "tool_schema",
  "schema_key_order",
  "system_text",
  "clock",
  "history_rewritten",
  "history_dropped",
  "history_inserted",
  "cache_marker_only",
  "string_vs_blocks",
  "settings",
  "spelling_only",
] as const;

export type Cause = (typeof CAUSES)[number];

/**
 * How much a change weighs, heaviest first. The first three cost the cache; of the others the more unusual one inside
 * the prompt is reported, then a new turn, then what stands outside the prompt and costs nothing.
 */
export const WEIGHTS = [
  "model",
  "prompt",
  "spoiling-setting",
  "harmless-prompt",
  "form",
  "spelling",
  "append",
  "harmless-setting",
  "chain",
  "marker",
] as const;

export type Weight = (typeof WEIGHTS)[number];

export interface Change {
  readonly cause: Cause;
  readonly weight: Weight;
  /** Steps into the body of AFTER. */
  readonly path: readonly PathStep[];
  readonly unit: readonly PathStep[];
  /** Undefined where there was, or is, nothing. */
  readonly before: unknown;
  readonly after: unknown;
  /** What kind of text it is that moves by itself. */
  readonly volatile?: VolatileKind;
  /** False where no provider says whether its cache sees the change; what is said of the prefix is then the safer guess. */
  readonly certain?: false;
}

export function breaksPrefix(change: Change): boolean {
  return WEIGHTS.indexOf(change.weight) <= WEIGHTS.indexOf("spoiling-setting");
}

/** Heaviest first; changes of one weight stay in the order of the prompt. */
export function sortByWeight(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => WEIGHTS.indexOf(a.weight) - WEIGHTS.indexOf(b.weight));
}
