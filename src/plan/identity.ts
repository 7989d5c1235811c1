/**
 * The two hashes that identify a plan (PI-12). Whatever a hash is taken over is put together here, and nowhere else.
 */
import { canonicalSha256 } from "../lib/canonical-json.ts";
import { compareCodePoints } from "../lib/code-point-order.ts";
import type { Sha256 } from "../lib/sha256.ts";
import type { PrefixRow } from "./prompt-row.ts";
import type { ToolSpec } from "./tool-spec.ts";

/** What a plan freezes, in the order of the prompt. */
export interface FrozenPrefix {
  readonly conversation: readonly PrefixRow[];
  /** Defined tools, in the order of their names. */
  readonly tools: readonly ToolSpec[];
  /** In the order of the index row. Absent where there is none: an empty class adds no bytes (PI-11). */
  readonly deferred_tools?: readonly ToolSpec[];
}

export interface PlanIdentity {
  readonly prefixSha256: Sha256;
  readonly toolSchemaSha256: Sha256;
}

export function identify(prefix: FrozenPrefix): PlanIdentity {
  return hashPrefix(prefix);
}

/** A prefix as a document that someone wrote: the members and their order are theirs. */
export interface PrefixDocument {
  readonly conversation: readonly unknown[];
  readonly tools: readonly { readonly name: string }[];
  readonly deferred_tools?: readonly { readonly name: string }[];
}

/** @throws HoldfastError `not_canonical` with the path of a value that has no canonical form */
export function hashPrefix({ conversation, tools, deferred_tools }: PrefixDocument): PlanIdentity {
  const sorted = sortByName(tools);
  const deferred = deferred_tools !== undefined && deferred_tools.length > 0 ? { deferred_tools } : {};
  return {
    prefixSha256: canonicalSha256({ conversation, tools: sorted, ...deferred }),
    toolSchemaSha256: canonicalSha256(sorted),
  };
}

export function sortByName<T extends { readonly name: string }>(tools: readonly T[]): readonly T[] {
  return [...tools].sort((a, b) => compareCodePoints(a.name, b.name));
}

export function sameIdentity(a: PlanIdentity, b: PlanIdentity): boolean {
  return a.prefixSha256 === b.prefixSha256 && a.toolSchemaSha256 === b.toolSchemaSha256;
}
