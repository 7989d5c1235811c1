/** The plans of a session, folded from the events of its stream. */

import { parseJsonText } from "../lib/canonical-json-text.ts";
import { isHoldfastError } from "../lib/error.ts";
import { decodePlanEvent, EPOCH_ROTATED, PLAN_CREATED, type PlanRecord } from "../plan/plan-event.ts";

/** A plan event that this version cannot read, or that another language wrote with a value that has no canonical form. */
export interface UnreadablePlan {
  readonly kind: "unreadable";
  readonly epoch: number;
  /** Names the field. */
  readonly problem: string;
}

export interface ReadablePlan extends PlanRecord {
  readonly kind: "plan";
}

/** One epoch as the stream holds it. */
export type Epoch = ReadablePlan | UnreadablePlan;

/** In the order of the stream. */
export type SessionPlans = readonly Epoch[];

interface RecordedEvent {
  readonly type: string;
  readonly data: Uint8Array;
}

export function foldPlans(events: readonly RecordedEvent[]): SessionPlans {
  return events
    .filter(({ type }) => type === PLAN_CREATED || type === EPOCH_ROTATED)
    .map(({ data }) => readEpoch(data));
}

export function readEpoch(data: Uint8Array): Epoch {
  try {
    return { kind: "plan", ...decodePlanEvent(data) };
  } catch (error) {
    // Expected: a foreign or damaged event. The session goes on with the next epoch (PI-33).
    if (isHoldfastError(error)) return { kind: "unreadable", epoch: readEpochNumber(data), problem: error.message };
    throw error;
  }
}

export function epochNumber(epoch: Epoch): number {
  return epoch.kind === "plan" ? epoch.plan.epoch : epoch.epoch;
}

/** 0 where not even the number can be read. */
function readEpochNumber(data: Uint8Array): number {
  try {
    const event = parseJsonText(data, "as-written") as { plan?: { epoch?: { text?: string } } };
    const number = Number(event.plan?.epoch?.text);
    return Number.isSafeInteger(number) && number > 0 ? number : 0;
  } catch {
    // Expected: the event is not JSON.
    return 0;
  }
}
