/** Which plan a run's pins belong to, and which pins a plan gives (RA-10, RA-11). */
import { comparePins, isPinned, type PinState, type ToolPins } from "../authority/pins.ts";
import { type ContextPlan, toolsOf } from "../plan/context-plan.ts";
import type { ReadablePlan, SessionPlans } from "./session-plans.ts";

/** Initialised without any. */
export const NO_PINS: ToolPins = { epoch: null, prefixSha256: null, tools: [] };

/**
 * The plan that a run goes on from: the newest, or for a pinned run that of its pins, in the corrected record where there
 * is one (PI-32). Pins of a time when they named no epoch belong to the newest plan that has their tools.
 */
export function findOwnEpoch(plans: SessionPlans, pinState: PinState): ReadablePlan | null {
  const readable = plans.filter((epoch) => epoch.kind === "plan");
  if (!isPinned(pinState)) return readable.at(-1) ?? null;
  const pins = pinState.pins ?? NO_PINS;
  let index = readable.findLastIndex(({ plan }) => isPlanOf(pins, plan));
  while (index !== -1 && readable[index + 1]?.verb === "rekey") index++;
  return readable[index] ?? null;
}

function isPlanOf(pins: ToolPins, plan: ContextPlan): boolean {
  if (pins.epoch === null) return comparePins(pins, toPinnedTools(plan)).kind === "same";
  return pins.epoch === plan.epoch && (pins.prefixSha256 === null || pins.prefixSha256 === plan.prefixSha256);
}

export function pinPlan(plan: ContextPlan): ToolPins {
  return { epoch: plan.epoch, prefixSha256: plan.prefixSha256, tools: toPinnedTools(plan) };
}

export function toPinnedTools(plan: ContextPlan): ToolPins["tools"] {
  return toolsOf(plan).map((spec) => ({ name: spec.name, version: spec.version, spec }));
}
