/** Scopes: what a tool requires and what a run may do. A set in the types, a sorted array in every JSON form (PI-2). */
import { compareCodePoints, sortByCodePoint } from "../lib/code-point-order.ts";
import { HoldfastError } from "../lib/error.ts";

/** A set of scopes that nobody can change: plans are shared and compared by identity. */
export class ScopeSet extends Set<string> {
  /** @throws HoldfastError `scope_duplicate`: a list that names a scope twice was put together wrongly */
  constructor(scopes: Iterable<string> = []) {
    super();
    for (const scope of sortByCodePoint(scopes)) {
      if (this.has(scope))
        throw new HoldfastError("scope_duplicate", `The scope ${scope} is listed twice; list it once.`);
      super.add(scope);
    }
    Object.freeze(this);
  }

  override add(): never {
    throw new TypeError("a ScopeSet is never changed; make a new one");
  }

  override delete(): never {
    return this.add();
  }

  override clear(): never {
    return this.add();
  }
}

/** The scopes of `required` that `held` lacks, sorted. */
export function missingScopes(required: ReadonlySet<string>, held: ReadonlySet<string>): readonly string[] {
  return [...required].filter((scope) => !held.has(scope)).sort(compareCodePoints);
}

/** What a run may still do: what was stamped at its submission and is still granted (RA-1). */
export function intersectScopes(run: ReadonlySet<string>, current: ReadonlySet<string>): ScopeSet {
  return new ScopeSet([...run].filter((scope) => current.has(scope)));
}
