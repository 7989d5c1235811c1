/**
 * The scopes that selected a plan's tools, as stored metadata: sorted hashes that carry their algorithm (RA-1). They
 * tell whether a later run brings a new grant, and grant nothing themselves.
 */
import { createHmac } from "node:crypto";
import { sortByCodePoint } from "../lib/code-point-order.ts";
import { sha256Hex } from "../lib/sha256.ts";

/** Sorted. `null` is unknown authority (an older plan, a lost key), an empty list is known to be none. */
export type ScopeHashes = readonly string[] | null;

/** Keys by id. With a current key, new hashes are HMAC per tenant; without one they are plain SHA-256 as in ADR-0094. */
export interface ScopeKeys {
  readonly currentId: string | null;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

export const PLAIN_SCOPE_HASHES: ScopeKeys = { currentId: null, keys: new Map() };

export function hashScopes(scopes: ReadonlySet<string>, keys: ScopeKeys): readonly string[] {
  const algorithm = keys.currentId === null ? "sha256" : `hmac-sha256:${keys.currentId}`;
  return sortByCodePoint([...scopes].map((scope) => hashScope(scope, algorithm, keys)!));
}

export type Authority =
  /** Nothing is known of the stored scopes. */
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly newScopes: readonly string[]; readonly lostScopes: number };

/** How a run's scopes stand to those that selected a plan, whichever algorithm the plan was stored with. */
export function compareAuthority(stored: ScopeHashes, run: ReadonlySet<string>, keys: ScopeKeys): Authority {
  if (stored === null) return { kind: "unknown" };
  const algorithms = new Set(stored.map(algorithmOf));
  if ([...algorithms].some((algorithm) => hashScope("", algorithm, keys) === null)) return { kind: "unknown" };
  const held = new Set(stored.map(withAlgorithm));
  const found = new Set<string>();
  const newScopes: string[] = [];
  for (const scope of sortByCodePoint(run)) {
    const hashes = [...algorithms].map((algorithm) => hashScope(scope, algorithm, keys)!);
    const known = hashes.filter((hash) => held.has(hash));
    for (const hash of known) found.add(hash);
    if (known.length === 0) newScopes.push(scope);
  }
  return { kind: "known", newScopes, lostScopes: held.size - found.size };
}

/** ADR-0094 wrote bare SHA-256 digits; they stay readable as they are. */
function algorithmOf(hash: string): string {
  const end = hash.lastIndexOf(":");
  return end === -1 ? "sha256" : hash.slice(0, end);
}

function withAlgorithm(hash: string): string {
  return hash.includes(":") ? hash : `sha256:${hash}`;
}

/** Null where the key or the algorithm is not there. */
function hashScope(scope: string, algorithm: string, keys: ScopeKeys): string | null {
  if (algorithm === "sha256") return `sha256:${sha256Hex(scope)}`;
  const key = algorithm.startsWith("hmac-sha256:") ? keys.keys.get(algorithm.slice("hmac-sha256:".length)) : undefined;
  if (key === undefined) return null;
  return `${algorithm}:${createHmac("sha256", key).update(scope, "utf8").digest("hex")}`;
}
