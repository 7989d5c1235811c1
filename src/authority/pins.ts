/**
 * Pins: the tools that a run shows its model from its first request to its last (RA-10…RA-12). A run that has
 * initialised them keeps them, also when there are none.
 */
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Sha256 } from "../lib/sha256.ts";
import { ScopeSet } from "./scope.ts";

export interface PinnedTool {
  readonly name: string;
  readonly version: string;
  /** The full specification, as the plan holds it. */
  readonly spec: object;
}

export interface ToolPins {
  /** The plan that they were taken from; null in checkpoints of a time when it was not stored. */
  readonly epoch: number | null;
  readonly prefixSha256: Sha256 | null;
  /** Defined, then deferred tools. */
  readonly tools: readonly PinnedTool[];
}

/** The part of a run's checkpoint that decides whether its authority may be refreshed. */
export interface PinState {
  /** Absent in checkpoints of a time when the flag did not exist. */
  readonly pinsInitialised?: boolean;
  readonly pins: ToolPins | null;
  /** Names of tools with a call that has no result yet. */
  readonly pendingCalls: readonly string[];
}

export const UNPINNED: PinState = { pinsInitialised: false, pins: null, pendingCalls: [] };

/** An explicit flag counts, not the number of pins: initialised and empty is pinned (ADR-0094, decision 3). */
export function isPinned(state: PinState): boolean {
  return state.pinsInitialised === true || (state.pins?.tools.length ?? 0) > 0;
}

export type PinComparison =
  | { readonly kind: "same" }
  | {
      readonly kind: "tool_pin_mismatch";
      readonly tool: string;
      readonly why: "missing" | "version" | "specification" | "revoked";
    };

/** Whether `tools` still serve every pin. Compared by canonical form: the order of a set is no difference. */
export function comparePins(pins: ToolPins, tools: readonly PinnedTool[]): PinComparison {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const pin of pins.tools) {
    const tool = byName.get(pin.name);
    if (tool === undefined) return { kind: "tool_pin_mismatch", tool: pin.name, why: "missing" };
    if (tool.version !== pin.version) return { kind: "tool_pin_mismatch", tool: pin.name, why: "version" };
    if (canonicalSpec(tool.spec) !== canonicalSpec(pin.spec)) {
      return { kind: "tool_pin_mismatch", tool: pin.name, why: "specification" };
    }
  }
  return { kind: "same" };
}

/** A checkpoint holds scopes as an array, and one of long ago in any order: they are a set all the same (RA-12). */
function canonicalSpec(spec: object): string {
  const { required_scopes: scopes } = spec as { readonly required_scopes?: Iterable<string> };
  return canonicalJson(scopes === undefined ? spec : { ...spec, required_scopes: new ScopeSet(scopes) });
}
