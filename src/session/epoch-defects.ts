/** What must never be in a session's stream, found where it is looked at (PI-17). */
import { epochNumber, type SessionPlans } from "./session-plans.ts";

export interface SplitEpoch {
  readonly epoch: number;
  /** More than one, in the order of the stream. */
  readonly prefixSha256: readonly string[];
}

/** Epochs with two prefix hashes: two workers sent different prefixes under one number. */
export function findSplitEpochs(plans: SessionPlans): readonly SplitEpoch[] {
  const hashes = new Map<number, Set<string>>();
  for (const epoch of plans) {
    const found = hashes.get(epochNumber(epoch)) ?? new Set();
    hashes.set(epochNumber(epoch), found.add(epoch.kind === "plan" ? epoch.plan.prefixSha256 : epoch.problem));
  }
  return [...hashes]
    .filter(([, found]) => found.size > 1)
    .map(([epoch, found]) => ({ epoch, prefixSha256: [...found] }));
}
