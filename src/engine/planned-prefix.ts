/**
 * Whether a request carries the plan of its run, as a difference for its verdict (PI-16). A body that was read by its
 * difference to the one before has the very same objects where the bytes are the same, so a turn whose prefix did not
 * move costs a look at a few objects; only where one is new are the rows rendered and compared.
 */
import type { ReadBody } from "../dispatch/body-reader.ts";
import type { Divergence } from "../dispatch/verdict.ts";
import type { ContextPlan } from "../plan/context-plan.ts";
import { verifyRequest } from "../plan/verify-plan.ts";
import { prefixValues } from "../plan/wire-row.ts";

/** What a started run says of itself. */
export interface PlannedPrefix {
  readonly plan: ContextPlan;
  /** The text behind the plan's memory row, null where it has none. */
  readonly snapshotText: string | null;
}

interface Compared {
  readonly values: readonly unknown[];
  readonly divergences: readonly Divergence[];
}

/** Of the newest request of each plan. */
const compared = new WeakMap<ContextPlan, Compared>();

export function comparePlanned({ plan, snapshotText }: PlannedPrefix, body: ReadBody): readonly Divergence[] {
  const values = prefixValues(plan.api, body.value);
  const before = compared.get(plan);
  if (before !== undefined && isSame(before.values, values)) return before.divergences;
  const divergences = divergencesOf(verifyRequest(plan, snapshotText, body.bytes));
  compared.set(plan, { values, divergences });
  return divergences;
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** Names the first row that differs; where the request has fewer rows, the one that it lacks. */
function divergencesOf(comparison: ReturnType<typeof verifyRequest>): readonly Divergence[] {
  if (comparison.kind === "equal") return [];
  return [{ class: "plan_prefix", path: comparison.path ?? comparison.planned ?? "", count: 1 }];
}
