import type { PinState } from "../authority/pins.ts";
import type { ScopeKeys } from "../authority/scope-hash.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";

/** A run that wants a plan. */
export interface RunStart {
  readonly session: string;
  /** Effective scopes, stamped when the run was submitted (RA-1). */
  readonly scopes: ReadonlySet<string>;
  readonly agent: AgentDefinition;
  /** Today's memory, for a plan that is built anew. */
  readonly memoryText: string;
  /** The text of the memory snapshot of `findOwnEpoch`; null where there is none, or where it was erased. */
  readonly snapshotText: string | null;
  readonly pinState: PinState;
  readonly keys: ScopeKeys;
  /** False where the caller is not at a run boundary: then grants are not looked at. */
  readonly refreshAuthority: boolean;
  /** The operator wants a revocation to end pinned runs too (RA-11). */
  readonly strictRevocation: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}
