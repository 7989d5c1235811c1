/** The plans that a session could go on with: today's form of the stored choice, or a new choice. */
import type { ScopeHashes } from "../authority/scope-hash.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { sha256Hex } from "../lib/sha256.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { type ContextPlan, freezeCopy, toolsOf } from "./context-plan.ts";
import { type FrozenPrefix, identify, sortByName } from "./identity.ts";
import { buildPrefixRows, findRow, memoryRow, type PrefixTexts, skillRow } from "./prefix-rows.ts";
import { renderPrefix, renderRequest } from "./render.ts";
import { selectTools, specsByName } from "./select-tools.ts";
import type { ToolSpec } from "./tool-spec.ts";
import { digestWireRows, readWireRows, type WireDigests, type WireRow } from "./wire-row.ts";

/** What a plan chose, before it has an epoch and an identity. */
export interface PlanChoice {
  readonly prefix: FrozenPrefix;
  readonly appendedTools: readonly ToolSpec[];
  readonly skippedTools: readonly string[];
  /** The text behind the memory row, null where there is none. */
  readonly snapshotText: string | null;
}

export interface ChoiceOptions {
  readonly agent: AgentDefinition;
  readonly scopes: ReadonlySet<string>;
  /** Today's memory; an empty text adds no row. */
  readonly memoryText: string;
}

/** A new choice: today's tools for these scopes, today's skills, a new memory snapshot. */
export function chooseAnew({ agent, scopes, memoryText }: ChoiceOptions): PlanChoice {
  const snapshotText = memoryText === "" ? null : memoryText;
  const memory = memoryRow(snapshotText === null ? null : sha256Hex(snapshotText));
  return choose(agent, scopes, skillRow(agent.skills), memory, snapshotText);
}

/** A new choice of tools only: snapshot and skill catalogue of the stored plan are kept (RA-3). */
export function chooseTools(
  agent: AgentDefinition,
  scopes: ReadonlySet<string>,
  stored: ContextPlan,
  snapshotText: string | null,
): PlanChoice {
  const rows = stored.prefix.conversation;
  return choose(agent, scopes, findRow(rows, "skill_catalogue"), findRow(rows, "memory"), snapshotText);
}

/**
 * The stored choice with today's texts and specifications: the same tools in the same places, snapshot and catalogue
 * kept. Null where a chosen tool is gone. What is added to an agent later changes nothing here (PI-10).
 */
export function keepChoice(
  agent: AgentDefinition,
  stored: ContextPlan,
  snapshotText: string | null,
): PlanChoice | null {
  const today = specsByName(agent.tools);
  if (toolsOf(stored).some((tool) => !today.has(tool.name))) return null;
  const renew = (tools: readonly ToolSpec[] = []) => tools.map((tool) => today.get(tool.name)!);
  const rows = stored.prefix.conversation;
  const kept = { skillCatalogue: findRow(rows, "skill_catalogue"), memory: findRow(rows, "memory") };
  return {
    prefix: buildPrefix(agent, renew(stored.prefix.tools), renew(stored.prefix.deferred_tools), kept),
    appendedTools: renew(stored.appendedTools),
    skippedTools: stored.skippedTools,
    snapshotText,
  };
}

export interface PlanStamp {
  readonly session: string;
  readonly epoch: number;
  readonly agent: AgentDefinition;
  readonly authorityScopeHashes: ScopeHashes;
  readonly now: number;
}

export function completePlan(
  choice: PlanChoice,
  { session, epoch, agent, authorityScopeHashes, now }: PlanStamp,
): ContextPlan {
  return freezeCopy({
    session,
    epoch,
    ...identify(choice.prefix),
    api: agent.api,
    model: agent.model,
    prefix: choice.prefix,
    appendedTools: choice.appendedTools,
    skippedTools: choice.skippedTools,
    wire: digestWireRows(renderWireRows({ api: agent.api, prefix: choice.prefix }, choice.snapshotText)),
    authorityScopeHashes,
    personaVersion: agent.persona?.version ?? null,
    cacheBreakpoints: agent.cacheBreakpoints ?? [],
    policyVersion: agent.policyVersion,
    builderVersion: agent.builderVersion,
    createdAt: now,
  });
}

/** The rows that the gate expects in a request of this plan. */
export function renderWireRows(
  plan: Pick<ContextPlan, "api" | "prefix">,
  snapshotText: string | null,
): readonly WireRow[] {
  return readWireRows(plan.api, Buffer.from(renderRequest(renderPrefix(plan, snapshotText), {})));
}

/** Whether a choice puts the same bytes before the provider as the stored plan does (PI-13). */
export function keepsWire(choice: PlanChoice, api: ContextPlan["api"], stored: ContextPlan): boolean {
  if (api !== stored.api) return false;
  const rows = renderWireRows({ api, prefix: choice.prefix }, choice.snapshotText);
  const wire: WireDigests = stored.wire ?? digestWireRows(renderWireRows(stored, choice.snapshotText));
  return (
    canonicalJson(digestWireRows(rows)) === canonicalJson(wire) && sameTools(choice.appendedTools, stored.appendedTools)
  );
}

export function sameTools(a: readonly ToolSpec[], b: readonly ToolSpec[]): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function choose(
  agent: AgentDefinition,
  scopes: ReadonlySet<string>,
  skillCatalogue: PrefixTexts["skillCatalogue"],
  memory: PrefixTexts["memory"],
  snapshotText: string | null,
): PlanChoice {
  const { defined, deferred, skipped } = selectTools(agent.tools, scopes, agent.caps);
  const prefix = buildPrefix(agent, defined, deferred, { skillCatalogue, memory });
  return { prefix, appendedTools: [], skippedTools: skipped, snapshotText };
}

function buildPrefix(
  agent: AgentDefinition,
  defined: readonly ToolSpec[],
  deferred: readonly ToolSpec[],
  kept: Pick<PrefixTexts, "skillCatalogue" | "memory">,
): FrozenPrefix {
  const { framing, instructions } = agent;
  const texts = { framing, instructions, persona: agent.persona?.text ?? "", deferredTools: deferred, ...kept };
  return {
    conversation: buildPrefixRows(texts),
    tools: sortByName(defined),
    ...(deferred.length > 0 && { deferred_tools: deferred }),
  };
}
