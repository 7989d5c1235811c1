/** `holdfast/plan`: the public names of the planning half. */

export { type CallPermission, decideCall } from "../authority/call-permission.ts";
export type { PinState, ToolPins } from "../authority/pins.ts";
export type { ScopeHashes, ScopeKeys } from "../authority/scope-hash.ts";
export type { AgentDefinition, Persona, Skill } from "../plan/agent-definition.ts";
export type { ContextPlan } from "../plan/context-plan.ts";
export { identify, type PlanIdentity } from "../plan/identity.ts";
export type { EpochReason, EpochVerb } from "../plan/plan-event.ts";
export { type RenderedPrefix, renderPrefix, renderRequest, renderToolAdditions } from "../plan/render.ts";
export type { ToolCandidate, ToolCaps } from "../plan/select-tools.ts";
export type { ToolSpec } from "../plan/tool-spec.ts";
export { verifyRequest } from "../plan/verify-plan.ts";
export type { WireComparison } from "../plan/wire-row.ts";
export { eraseSnapshots } from "./erase-snapshots.ts";
export { LOCAL_OWNER } from "./plan-store.ts";
export { type RunRequest, type StartedRun, startRun } from "./start-run.ts";
