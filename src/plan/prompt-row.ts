/**
 * The kinds of rows a prompt is made of, and the region of each. Membership is a property of the kind: what can differ
 * between two requests of one session is turn body, never prefix (PI-10).
 */

export type RowKind =
  | "system"
  | "instructions"
  | "persona"
  | "tool_index"
  | "skill_catalogue"
  | "memory"
  | "user"
  | "assistant"
  | "tool_result"
  | "clock"
  | "reminder"
  | "budget";

export type Region = "prefix" | "body";

/** A kind without a region does not compile. */
export const REGION = {
  system: "prefix",
  instructions: "prefix",
  persona: "prefix",
  tool_index: "prefix",
  skill_catalogue: "prefix",
  memory: "prefix",
  user: "body",
  assistant: "body",
  tool_result: "body",
  clock: "body",
  reminder: "body",
  budget: "body",
} as const satisfies Record<RowKind, Region>;

export type PrefixRowKind = { [K in RowKind]: (typeof REGION)[K] extends "prefix" ? K : never }[RowKind];

/** Who vouches for a row's text. */
export type Trust = "platform" | "agent" | "user" | "memory";

export type RowContent =
  | { readonly kind: "text"; readonly text: string }
  /** The memory snapshot lies beside the plan, under its SHA-256, so that it can be erased (PI-12 hashes the reference). */
  | { readonly kind: "snapshot"; readonly sha256: string };

export interface PrefixRow {
  readonly kind: PrefixRowKind;
  readonly trust: Trust;
  readonly content: readonly RowContent[];
}
