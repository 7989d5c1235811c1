/** Forgetting: the texts of memory leave the store, what was planned with them stays known by its hashes. */
import { snapshotOf } from "../plan/prefix-rows.ts";
import { PlanStore } from "./plan-store.ts";
import type { RunStores } from "./start-run.ts";

/**
 * Removes the memory snapshots that the plans of a session refer to from the store, for good. Plans, hashes and events
 * stay. The next run of the session plans anew, and a run that is pinned to such a plan can't be rendered any more
 * (`snapshot_erased`). Sessions of the same owner that remember the very same text lose it too.
 * @returns SHA-256 of each text that was there
 */
export async function eraseSnapshots(
  { store, owner }: Pick<RunStores, "store" | "owner">,
  session: string,
): Promise<readonly string[]> {
  const planStore = new PlanStore(store, owner);
  const { plans } = await planStore.allPlans(session);
  const referred = plans.map((epoch) => (epoch.kind === "plan" ? snapshotOf(epoch.plan.prefix.conversation) : null));
  const erased: string[] = [];
  for (const sha256 of new Set(referred)) {
    if (sha256 !== null && (await planStore.eraseSnapshot(sha256))) erased.push(sha256);
  }
  return erased;
}
