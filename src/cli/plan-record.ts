/** What `holdfast plan show` and `plan epochs` say of a plan: as JSON for programs, as lines for people. */
import { type ContextPlan, toolsOf } from "../plan/context-plan.ts";
import { type PlanEncoding, recognisePlan } from "../plan/verify-plan.ts";
import { findSplitEpochs, type SplitEpoch } from "../session/epoch-defects.ts";
import type { Epoch, SessionPlans } from "../session/session-plans.ts";
import { list, paint } from "./output.ts";

export interface EpochRecord {
  readonly epoch: number;
  readonly verb: string;
  readonly reason: string;
  readonly prefixSha256: string | null;
  readonly toolSchemaSha256: string | null;
  /** `canonical`, the name of an older encoding, or null where nothing known gives the stored hashes. */
  readonly encoding: PlanEncoding;
  readonly created_at: string | null;
  /** Why the record cannot be read; null for the others. */
  readonly problem: string | null;
}

export interface SessionRecord {
  readonly schema: 1;
  readonly session: string;
  readonly epochs: readonly EpochRecord[];
  readonly split_epochs: readonly SplitEpoch[];
}

export function toSessionRecord(session: string, plans: SessionPlans): SessionRecord {
  return { schema: 1, session, epochs: plans.map(toEpochRecord), split_epochs: findSplitEpochs(plans) };
}

export function toPlanRecord(epoch: Epoch) {
  const record = toEpochRecord(epoch);
  if (epoch.kind === "unreadable") return { schema: 1, ...record };
  const { plan } = epoch;
  return {
    schema: 1,
    session: plan.session,
    ...record,
    api: plan.api,
    model: plan.model,
    rows: plan.prefix.conversation.map((row) => row.kind),
    tools: plan.prefix.tools.map(nameAndVersion),
    deferred_tools: (plan.prefix.deferred_tools ?? []).map(nameAndVersion),
    appended_tools: plan.appendedTools.map(nameAndVersion),
    skipped_tools: plan.skippedTools,
    wire: plan.wire,
    authority_scopes: plan.authorityScopeHashes?.length ?? null,
    persona_version: plan.personaVersion,
    policy_version: plan.policyVersion,
    builder_version: plan.builderVersion,
  };
}

export function describeSession({ session, epochs, split_epochs: split }: SessionRecord): string {
  const lines = epochs.map(({ epoch, verb, reason, prefixSha256, problem }) => {
    const what = problem ?? `${reason}  ${prefixSha256?.slice(0, 12)}`;
    return [`${epoch} ${verb}`, what] as const;
  });
  const defects = split.map(({ epoch, prefixSha256 }) =>
    paint("red", `epoch ${epoch} has ${prefixSha256.length} prefix hashes`),
  );
  return [
    `session ${session}: ${epochs.length} ${epochs.length === 1 ? "epoch" : "epochs"}`,
    list(lines),
    ...defects,
  ].join("\n");
}

export function describePlan(epoch: Epoch): string {
  if (epoch.kind === "unreadable") return `epoch ${epoch.epoch} can't be read: ${epoch.problem}`;
  const { plan, reason, verb } = epoch;
  const { authorityScopeHashes: authority } = plan;
  return [
    `session ${plan.session}, epoch ${plan.epoch}`,
    list([
      ["opened by", `${verb}, ${reason}, ${new Date(plan.createdAt).toISOString()}`],
      ["prefix", plan.prefixSha256],
      ["tool schema", plan.toolSchemaSha256],
      ["encoding", recognisePlan(epoch) ?? "no known encoding gives these hashes"],
      ["model", `${plan.model} (${plan.api})`],
      ["rows", plan.prefix.conversation.map((row) => row.kind).join(", ") || "none"],
      ["tools", describeTools(plan)],
      ["authority", authority === null ? "unknown" : `${authority.length} scopes`],
      [
        "versions",
        `policy ${plan.policyVersion}, builder ${plan.builderVersion}, persona ${plan.personaVersion ?? "none"}`,
      ],
    ]),
  ].join("\n");
}

function toEpochRecord(epoch: Epoch): EpochRecord {
  if (epoch.kind === "unreadable") {
    const nothing = { prefixSha256: null, toolSchemaSha256: null, encoding: null, created_at: null };
    return { epoch: epoch.epoch, verb: "unreadable", reason: "unreadable", ...nothing, problem: epoch.problem };
  }
  const { plan, reason, verb } = epoch;
  return {
    epoch: plan.epoch,
    verb,
    reason,
    prefixSha256: plan.prefixSha256,
    toolSchemaSha256: plan.toolSchemaSha256,
    encoding: recognisePlan(epoch),
    created_at: new Date(plan.createdAt).toISOString(),
    problem: null,
  };
}

function nameAndVersion({ name, version }: { readonly name: string; readonly version: string }) {
  return { name, version };
}

function describeTools(plan: ContextPlan): string {
  const deferred = new Set(plan.prefix.deferred_tools?.map((tool) => tool.name));
  const appended = new Set(plan.appendedTools.map((tool) => tool.name));
  const names = toolsOf(plan).map(({ name }) => {
    if (deferred.has(name)) return `${name} (deferred)`;
    return appended.has(name) ? `${name} (appended)` : name;
  });
  const skipped = plan.skippedTools.map((name) => `${name} (skipped)`);
  return [...names, ...skipped].join(", ") || "none";
}
