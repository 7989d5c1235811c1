/** May this call run now? Asked at each call and at each resume; the prompt prefix has no part in it (RA-4). */
import { intersectScopes, missingScopes } from "./scope.ts";

export type CallPermission =
  | { readonly kind: "allowed" }
  /** What the model and the log may know: the missing scopes, none of those that are held. */
  | { readonly kind: "denied"; readonly missing: readonly string[] };

/**
 * @param run scopes stamped when the run was submitted
 * @param current scopes that its principal holds at this moment
 */
export function decideCall(
  requiredScopes: ReadonlySet<string>,
  run: ReadonlySet<string>,
  current: ReadonlySet<string>,
): CallPermission {
  const missing = missingScopes(requiredScopes, intersectScopes(run, current));
  return missing.length === 0 ? { kind: "allowed" } : { kind: "denied", missing };
}
