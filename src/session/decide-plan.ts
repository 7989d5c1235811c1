/**
 * With which plan does this run go on? The pure choice between keeping the session's plan, correcting its identity,
 * stamping it anew, appending to it and building another one (PI-20…PI-24, PI-30…PI-35, RA-1…RA-6).
 */
import { comparePins, isPinned, type PinComparison, type PinState } from "../authority/pins.ts";
import { missingScopes } from "../authority/scope.ts";
import { compareAuthority, hashScopes, type ScopeHashes } from "../authority/scope-hash.ts";
import {
  chooseAnew,
  chooseTools,
  completePlan,
  keepChoice,
  keepsWire,
  type PlanChoice,
  sameTools,
} from "../plan/candidate.ts";
import { type ContextPlan, freezeCopy, toolsOf } from "../plan/context-plan.ts";
import { identify, sameIdentity } from "../plan/identity.ts";
import { findOlderEncoding } from "../plan/older-encoding.ts";
import type { EpochReason, EpochVerb, PlanEvent, RotationReason } from "../plan/plan-event.ts";
import type { ToolSpec } from "../plan/tool-spec.ts";
import { type PlanEncoding, recognisePlan } from "../plan/verify-plan.ts";
import { findOwnEpoch, NO_PINS, toPinnedTools } from "./pinned-plan.ts";
import { findReason, isSnapshotLost } from "./rotation-reason.ts";
import type { RunStart } from "./run-start.ts";
import { epochNumber, type ReadablePlan, type SessionPlans } from "./session-plans.ts";

export type PlanDecision =
  | {
      readonly kind: "keep";
      readonly plan: ContextPlan;
      /** How its stored hashes came to be; null where no known encoding gives them. */
      readonly encoding: PlanEncoding;
      /** Why an unpinned run would get a new epoch; shown by `doctor`. */
      readonly wouldRotate: RotationReason | null;
    }
  | { readonly kind: "new-epoch"; readonly event: PlanEvent; readonly snapshotText: string | null }
  | Exclude<PinComparison, { kind: "same" }>;

export function decidePlan(plans: SessionPlans, run: RunStart): PlanDecision {
  const newest = plans.at(-1);
  if (isPinned(run.pinState)) return resume(findOwnEpoch(plans, run.pinState), run);
  if (run.pinState.pendingCalls.length > 0) return refuseCalls(run.pinState);
  if (newest === undefined) return create(run);
  if (newest.kind === "unreadable")
    return rebuild(run, "agent_prefix_changed", Math.max(...plans.map(epochNumber)) + 1);
  const reason = findReason(newest.plan, run, run.refreshAuthority);
  if (reason === null) return { kind: "keep", plan: newest.plan, encoding: "canonical", wouldRotate: null };
  if (reason === "run_authority_changed") return growAuthority(newest.plan, run);
  return (reason === "agent_prefix_changed" ? rekey(newest, run) : null) ?? renew(newest.plan, run, reason);
}

function create(run: RunStart): PlanDecision {
  return begin(run, "create", "session_first_model_request", 1, chooseAnew(run), hashScopes(run.scopes, run.keys));
}

function rebuild(run: RunStart, reason: EpochReason, epoch: number): PlanDecision {
  return begin(run, "rebuild", reason, epoch, chooseAnew(run), hashScopes(run.scopes, run.keys));
}

/** New grants: the same bytes under a new stamp, else more tools behind the same bytes, else new bytes (RA-3). */
function growAuthority(stored: ContextPlan, run: RunStart): PlanDecision {
  const reason = "run_authority_changed";
  const epoch = stored.epoch + 1;
  const hashes = hashScopes(run.scopes, run.keys);
  if (isSnapshotLost(stored, run)) return rebuild(run, reason, epoch);
  const candidate = chooseTools(run.agent, run.scopes, stored, run.snapshotText);
  const sameModel = run.agent.model === stored.model;
  if (sameModel && keepsWire(candidate, run.agent.api, stored))
    return begin(run, "restamp", reason, epoch, candidate, hashes);
  const kept = sameModel ? appendable(stored, run) : null;
  if (kept !== null) {
    const added = addedTools(candidate, stored);
    const choice = { ...kept, appendedTools: [...kept.appendedTools, ...added] };
    return begin(run, added.length === 0 ? "restamp" : "append", reason, epoch, choice, hashes);
  }
  return begin(run, "rebuild", reason, epoch, candidate, hashes);
}

/** Appending leaves every stored tool in the prefix, so the run must hold all of the scopes that selected them. */
function appendable(stored: ContextPlan, run: RunStart): PlanChoice | null {
  const authority = compareAuthority(stored.authorityScopeHashes, run.scopes, run.keys);
  if (run.agent.appendsTools !== true || authority.kind === "unknown" || authority.lostScopes > 0) return null;
  const kept = keepChoice(run.agent, stored, run.snapshotText);
  return kept !== null && keepsWire(kept, run.agent.api, stored) ? kept : null;
}

function addedTools(candidate: PlanChoice, stored: ContextPlan): readonly ToolSpec[] {
  const known = new Set(toolsOf(stored).map((tool) => tool.name));
  return [...candidate.prefix.tools, ...(candidate.prefix.deferred_tools ?? [])].filter(
    (tool) => !known.has(tool.name),
  );
}

/** Only the record was wrong: the same plan with its canonical hashes, all or nothing (PI-31). */
function rekey({ plan: stored, recorded }: ReadablePlan, run: RunStart): PlanDecision | null {
  const today = keepChoice(run.agent, stored, run.snapshotText);
  if (today === null || isSnapshotLost(stored, run) || !sameTools(today.appendedTools, stored.appendedTools))
    return null;
  const identity = identify(today.prefix);
  const match = findOlderEncoding(recorded(), stored);
  if (match === null || !sameIdentity(match.identity, identity)) return null;
  const plan = freezeCopy({ ...stored, ...identity, epoch: stored.epoch + 1, createdAt: run.now });
  const event: PlanEvent = { reason: "prefix_hash_canonicalized", verb: "rekey", plan };
  return { kind: "new-epoch", event, snapshotText: run.snapshotText };
}

/** Something of the agent changed: a new stamp where the provider sees the same bytes, else everything anew (PI-13, PI-23). */
function renew(stored: ContextPlan, run: RunStart, reason: RotationReason): PlanDecision {
  const kept = reason === "model_changed" ? null : keepChoice(run.agent, stored, run.snapshotText);
  if (kept === null || isSnapshotLost(stored, run) || !keepsWire(kept, run.agent.api, stored))
    return rebuild(run, reason, stored.epoch + 1);
  return begin(run, "restamp", reason, stored.epoch + 1, kept, stored.authorityScopeHashes);
}

/** A pinned run finishes on its own plan, whatever happened to the session since (RA-11). */
function resume(own: ReadablePlan | null, run: RunStart): PlanDecision {
  const pins = run.pinState.pins ?? NO_PINS;
  if (own === null) return { kind: "tool_pin_mismatch", tool: pins.tools[0]?.name ?? "", why: "missing" };
  const { plan } = own;
  const comparison = comparePins(pins, toPinnedTools(plan));
  if (comparison.kind === "tool_pin_mismatch") return comparison;
  const revoked = run.strictRevocation ? findRevoked(plan, run.scopes) : undefined;
  if (revoked !== undefined) return { kind: "tool_pin_mismatch", tool: revoked.name, why: "revoked" };
  const wouldRotate = findReason(plan, run, true);
  return { kind: "keep", plan, encoding: recognisePlan(own), wouldRotate };
}

/** Calls without pins: nobody knows what the model was shown (RA-5, case 14). */
function refuseCalls({ pendingCalls }: PinState): PlanDecision {
  return { kind: "tool_pin_mismatch", tool: pendingCalls[0]!, why: "missing" };
}

function findRevoked(plan: ContextPlan, scopes: ReadonlySet<string>): ToolSpec | undefined {
  return toolsOf(plan).find((tool) => missingScopes(tool.required_scopes, scopes).length > 0);
}

function begin(
  run: RunStart,
  verb: EpochVerb,
  reason: EpochReason,
  epoch: number,
  choice: PlanChoice,
  authorityScopeHashes: ScopeHashes,
): PlanDecision {
  const plan = completePlan(choice, {
    session: run.session,
    epoch,
    agent: run.agent,
    authorityScopeHashes,
    now: run.now,
  });
  return { kind: "new-epoch", event: { reason, verb, plan }, snapshotText: choice.snapshotText };
}
