/** What entries of Pi and OMP say was paid: they write the same shape, each with members of its own. */
import { countOf, type JsonObject, objectOf, textOf } from "./json-value.ts";
import { noUsage, promptTokens, type TokenUsage } from "./transcript.ts";

export function usageOf(usage: JsonObject): TokenUsage {
  return {
    input: countOf(usage.input),
    output: countOf(usage.output),
    cacheRead: countOf(usage.cacheRead),
    cacheWrite: countOf(usage.cacheWrite),
    // Pi and OMP name the same part differently.
    cacheWrite1h: countOf(usage.cacheWrite1h) + countOf(objectOf(usage.cttl)?.ephemeral1h),
    webSearches: countOf(objectOf(usage.server)?.webSearch),
  };
}

export function isEmpty(usage: TokenUsage): boolean {
  return promptTokens(usage) + usage.output === 0;
}

/** Work on the provider's side that is paid but is no part of the conversation; empty where there is none. */
export function orchestrationOf(usage: JsonObject): TokenUsage {
  const beside = objectOf(usage.orchestration) ?? {};
  const { input, output, cacheRead } = usageOf(beside);
  return { ...noUsage, input, output, cacheRead };
}

/** In dollars, where the provider charged it: anything else in `cost` is the agent's own price list. */
export function billedUsdOf(usage: JsonObject): number | undefined {
  const cost = objectOf(usage.cost);
  return cost?.totalFromProvider === true && typeof cost.total === "number" ? cost.total : undefined;
}

/** A call that belongs to no turn, as an entry tells of it. */
export interface SideEntry {
  /** Undefined where the entry names none. */
  readonly model: string | undefined;
  readonly usage: TokenUsage;
  readonly billedUsd: number | undefined;
}

/**
 * Titles, kept caches and the like have entries of their own; a compaction, the summary of a branch and the result of a
 * tool that asks a model carry a usage. The usage that OMP copies into the result of a task is not among them: the
 * sub-agent's own file has it.
 */
export function sideEntryOf(row: JsonObject): SideEntry | undefined {
  const holder = row.type === "message" ? objectOf(row.message) : row;
  const isAnswer = row.type === "message" && holder?.role !== "toolResult";
  const raw = isAnswer ? undefined : objectOf(holder?.usage);
  if (raw === undefined) return undefined;
  const usage = usageOf(raw);
  if (isEmpty(usage)) return undefined;
  const model = textOf(row.model);
  // The agent knew the model that the entry does not name, so its own sum is nearer than a guess.
  return { model, usage, billedUsd: billedUsdOf(raw) ?? (model === undefined ? ownSumOf(raw) : undefined) };
}

function ownSumOf(usage: JsonObject): number | undefined {
  const total = objectOf(usage.cost)?.total;
  return typeof total === "number" && total > 0 ? total : undefined;
}

/** What OMP asked for; undefined for the standard tier. `tiers` holds a word for each family of providers. */
export function tierOf(tiers: JsonObject | undefined, message: JsonObject): string | undefined {
  const tier = textOf(tiers?.[familyOf(message)]);
  return tier === "priority" || tier === "flex" ? tier : undefined;
}

function familyOf({ api, provider }: JsonObject): string {
  if (api === "anthropic-messages") return "anthropic";
  return /^google/.test(String(provider)) ? "google" : "openai";
}
