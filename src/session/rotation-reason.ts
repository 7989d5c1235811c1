/** Why a session's plan no longer serves a run. */
import { type Authority, compareAuthority } from "../authority/scope-hash.ts";
import { keepChoice, sameTools } from "../plan/candidate.ts";
import type { ContextPlan } from "../plan/context-plan.ts";
import { identify, sameIdentity } from "../plan/identity.ts";
import type { RotationReason } from "../plan/plan-event.ts";
import { findRow, snapshotOf } from "../plan/prefix-rows.ts";
import type { RunStart } from "./run-start.ts";

/** The first reason that holds (PI-21), or null. */
export function findReason(stored: ContextPlan, run: RunStart, refreshAuthority: boolean): RotationReason | null {
  const { agent } = run;
  if (refreshAuthority && isGrowth(compareAuthority(stored.authorityScopeHashes, run.scopes, run.keys)))
    return "run_authority_changed";
  if (agent.model !== stored.model || agent.api !== stored.api) return "model_changed";
  if (agent.policyVersion !== stored.policyVersion) return "policy_version_changed";
  if (agent.builderVersion !== stored.builderVersion) return "builder_version_changed";
  if ((agent.persona?.version ?? null) !== stored.personaVersion) return "persona_changed";
  return isCurrent(stored, run) ? null : prefixReason(stored, run);
}

function isGrowth(authority: Authority): boolean {
  return authority.kind === "unknown" || authority.newScopes.length > 0;
}

/** Today's form of the plan has the stored hashes (PI-30), and the snapshot that it refers to is still there. */
function isCurrent(stored: ContextPlan, run: RunStart): boolean {
  if (isSnapshotLost(stored, run)) return false;
  const today = keepChoice(run.agent, stored, run.snapshotText);
  return (
    today !== null &&
    sameIdentity(identify(today.prefix), stored) &&
    sameTools(today.appendedTools, stored.appendedTools)
  );
}

/** Its owner erased it; a plan that refers to it cannot be rendered any more. */
export function isSnapshotLost(stored: ContextPlan, run: RunStart): boolean {
  return snapshotOf(stored.prefix.conversation) !== null && run.snapshotText === null;
}

/** A persona can be edited without a new version. */
function prefixReason(stored: ContextPlan, run: RunStart): RotationReason {
  const [content] = findRow(stored.prefix.conversation, "persona")?.content ?? [];
  const text = content?.kind === "text" ? content.text : "";
  return text === (run.agent.persona?.text ?? "") ? "agent_prefix_changed" : "persona_changed";
}
