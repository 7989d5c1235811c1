/**
 * The two checks of a plan in use: is its record sound, and does this request carry its prefix? Plans are frozen through
 * and through, so what was found of one object stays true of it (PI-16).
 */
import { renderWireRows } from "./candidate.ts";
import type { ContextPlan } from "./context-plan.ts";
import { identify, sameIdentity } from "./identity.ts";
import { findOlderEncoding } from "./older-encoding.ts";
import type { PlanRecord } from "./plan-event.ts";
import { compareWireRows, readWireRows, type WireComparison, type WireRow } from "./wire-row.ts";

/** The encoding that gives the plan its stored hashes; null where none does. */
export type PlanEncoding = "canonical" | (string & {}) | null;

const encodings = new WeakMap<ContextPlan, PlanEncoding>();

export function recognisePlan({ plan, recorded }: PlanRecord): PlanEncoding {
  const known = encodings.get(plan);
  if (known !== undefined) return known;
  const isCanonical = sameIdentity(identify(plan.prefix), plan);
  const encoding = isCanonical ? "canonical" : (findOlderEncoding(recorded(), plan)?.encoding.name ?? null);
  encodings.set(plan, encoding);
  return encoding;
}

const plannedRows = new WeakMap<ContextPlan, readonly WireRow[]>();

/**
 * Whether a request body carries the plan's prefix, and if not, the first row that differs.
 * @param snapshotText the text behind the plan's memory row, null where it has none
 */
export function verifyRequest(plan: ContextPlan, snapshotText: string | null, body: Uint8Array): WireComparison {
  let planned = plannedRows.get(plan);
  if (planned === undefined) {
    planned = renderWireRows(plan, snapshotText);
    plannedRows.set(plan, planned);
  }
  return compareWireRows(planned, readWireRows(plan.api, body));
}
