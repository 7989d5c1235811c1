/** A plan: everything of a session's prompt that stays the same from request to request, with its identity. */
import { ScopeSet } from "../authority/scope.ts";
import type { ScopeHashes } from "../authority/scope-hash.ts";
import { NumberText } from "../lib/canonical-json.ts";
import type { Api } from "../wire/api.ts";
import type { FrozenPrefix, PlanIdentity } from "./identity.ts";
import type { ToolSpec } from "./tool-spec.ts";
import type { WireDigests } from "./wire-row.ts";

export interface ContextPlan extends PlanIdentity {
  readonly session: string;
  /** 1, 2, 3, … A session has one prefix hash per epoch (PI-17). */
  readonly epoch: number;
  readonly api: Api;
  /** `provider:model`. */
  readonly model: string;
  readonly prefix: FrozenPrefix;
  /** Announced behind the prefix after a grant, in this order, so that the prefix keeps its bytes (RA-3). */
  readonly appendedTools: readonly ToolSpec[];
  /** Names that the run may use but that did not fit the caps. */
  readonly skippedTools: readonly string[];
  /** What the provider caches, or null where the plan came from elsewhere and was never rendered here. */
  readonly wire: WireDigests | null;
  readonly authorityScopeHashes: ScopeHashes;
  readonly personaVersion: string | null;
  readonly cacheBreakpoints: readonly CacheBreakpoint[];
  readonly policyVersion: string;
  readonly builderVersion: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly createdAt: number;
}

/** Where a cache marker goes: behind the last block of a segment. Outside every hash (PI-12). */
export interface CacheBreakpoint {
  readonly segment: "tools" | "system";
  readonly ttl: "5m" | "1h";
}

/** All tools that the model may learn of, defined first: what a run pins (RA-10). */
export function toolsOf(plan: ContextPlan): readonly ToolSpec[] {
  return [...plan.prefix.tools, ...(plan.prefix.deferred_tools ?? []), ...plan.appendedTools];
}

/**
 * A copy that is frozen through and through, so that the same object is proof of the same content (PI-16). Schemas that
 * a caller handed in stay the caller's own.
 */
export function freezeCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof ScopeSet || value instanceof NumberText)
    return value;
  if (Array.isArray(value)) return Object.freeze(value.map(freezeCopy)) as T;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, freezeCopy(member)])),
  ) as T;
}
