/**
 * A plan as an event of its session's stream, in both directions (PI-20). What is read keeps the recorded form beside
 * the plan, so that a stale identity can be recognised later (PI-31).
 */
import { canonicalBytes } from "../lib/canonical-json.ts";
import { parseJsonText } from "../lib/canonical-json-text.ts";
import { isSha256 } from "../lib/sha256.ts";
import { isApi } from "../wire/api.ts";
import { type ContextPlan, freezeCopy } from "./context-plan.ts";
import type { FrozenPrefix } from "./identity.ts";
import { parseRecordedPrefix, planInvalid, type RecordedPrefix, withScopeSets } from "./recorded-prefix.ts";

export const PLAN_CREATED = "context.plan.created";
export const EPOCH_ROTATED = "context.epoch.rotated";

/** In order of precedence: the first that holds is the reason of a rotation (PI-21). The first of all creates. */
export const ROTATION_REASONS = [
  "run_authority_changed",
  "model_changed",
  "policy_version_changed",
  "builder_version_changed",
  "persona_changed",
  "agent_prefix_changed",
] as const;

export type RotationReason = (typeof ROTATION_REASONS)[number];
export type EpochReason = "session_first_model_request" | "prefix_hash_canonicalized" | RotationReason;

/** What an epoch did to the bytes: new ones, the same ones under a new record, the same ones under a corrected hash, or more behind them. */
export type EpochVerb = "create" | "rebuild" | "restamp" | "rekey" | "append";

export interface PlanEvent {
  readonly reason: EpochReason;
  readonly verb: EpochVerb;
  readonly plan: ContextPlan;
}

/** A plan event that was read. */
export interface PlanRecord extends PlanEvent {
  /** What the event holds, with numbers as they are written. Read when it is asked for: only for a stale identity. */
  recorded(): RecordedPrefix;
}

export function encodePlanEvent({ reason, verb, plan }: PlanEvent): { type: string; data: Uint8Array } {
  const type = verb === "create" ? PLAN_CREATED : EPOCH_ROTATED;
  return { type, data: canonicalBytes({ v: 1, reason, verb, plan }) };
}

/**
 * @param data bytes of an event of type `context.plan.created` or `context.epoch.rotated`, ours or written by the Python
 * encoder of ADR-0134
 * @throws HoldfastError `invalid_json`, `not_canonical` (with the path of the field that has no canonical form) or `plan_invalid`
 */
export function decodePlanEvent(data: Uint8Array): PlanRecord {
  const event = members(parseJsonText(data), "");
  const fields = members(event.plan, "/plan");
  const recorded = parseRecordedPrefix(fields.prefix ?? fields);
  return {
    reason: text(event.reason, "/reason") as EpochReason,
    verb: (event.verb ?? verbOf(event.reason)) as EpochVerb,
    plan: freezeCopy(decodePlan(fields, recorded)),
    recorded: () => readAsWritten(data),
  };
}

/** Events of ADR-0134 say only the reason. */
function verbOf(reason: unknown): EpochVerb {
  if (reason === "session_first_model_request") return "create";
  return reason === "prefix_hash_canonicalized" ? "rekey" : "rebuild";
}

function decodePlan(fields: Members, recorded: RecordedPrefix): ContextPlan {
  const foreign = fields.prefix === undefined;
  const field = (name: string) => (foreign ? fields[toSnakeCase(name)] : fields[name]);
  const api = field("api") ?? "anthropic-messages";
  if (!isApi(api)) throw planInvalid("/plan/api", "a known api");
  return {
    session: text(fields.session ?? fields.session_id, "/plan/session"),
    epoch: wholeNumber(field("epoch"), "/plan/epoch"),
    prefixSha256: hash(field("prefixSha256"), "/plan/prefixSha256"),
    toolSchemaSha256: hash(field("toolSchemaSha256"), "/plan/toolSchemaSha256"),
    api,
    model: text(field("model"), "/plan/model"),
    prefix: withScopeSets(requireScopes(recorded)) as FrozenPrefix,
    appendedTools: withScopeSets(parseRecordedPrefix({ conversation: [], tools: field("appendedTools") ?? [] }))
      .tools as ContextPlan["appendedTools"],
    skippedTools: (field("skippedTools") ?? []) as readonly string[],
    wire: (field("wire") ?? null) as ContextPlan["wire"],
    authorityScopeHashes: (field("authorityScopeHashes") ?? null) as readonly string[] | null,
    personaVersion: (field("personaVersion") ?? null) as string | null,
    cacheBreakpoints: (field("cacheBreakpoints") ?? []) as ContextPlan["cacheBreakpoints"],
    policyVersion: text(field("policyVersion"), "/plan/policyVersion"),
    builderVersion: text(field("builderVersion"), "/plan/builderVersion"),
    createdAt: readTime(field("createdAt")),
  };
}

/** A plan without them could not say what its tools need. */
function requireScopes(recorded: RecordedPrefix): RecordedPrefix {
  for (const tool of [...recorded.tools, ...(recorded.deferred_tools ?? [])]) {
    if (tool.required_scopes === undefined)
      throw planInvalid(`the required_scopes of ${tool.name}`, "an array of texts");
  }
  return recorded;
}

function readAsWritten(data: Uint8Array): RecordedPrefix {
  const fields = members(members(parseJsonText(data, "as-written"), "").plan, "/plan");
  return parseRecordedPrefix(fields.prefix ?? fields);
}

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown, path: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw planInvalid(path, "an object");
  return value as Members;
}

function text(value: unknown, path: string): string {
  if (typeof value !== "string") throw planInvalid(path, "a text");
  return value;
}

function wholeNumber(value: unknown, path: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw planInvalid(path, "a whole number from 1 on");
  return value as number;
}

function hash(value: unknown, path: string): ContextPlan["prefixSha256"] {
  if (!isSha256(value)) throw planInvalid(path, "64 lower-case hexadecimal digits");
  return value;
}

/** For people only. ADR-0134 writes ISO 8601. */
function readTime(value: unknown): number {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return Number.isSafeInteger(time) ? (time as number) : 0;
}

/** `prefixSha256` → `prefix_sha256`: how the Python encoder names its fields. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
