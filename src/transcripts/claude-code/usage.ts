/** What a response of Claude Code was paid for, in the words of Anthropic's API. */
import { countOf, type JsonObject, listOf, objectOf, textOf } from "../json-value.ts";
import type { TokenUsage } from "../transcript.ts";

export function usageOf(usage: JsonObject): TokenUsage {
  const byLifetime = objectOf(usage.cache_creation);
  return {
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    // Without the split everything is a five-minute write; the host prices it so, too.
    cacheWrite1h: countOf(byLifetime?.ephemeral_1h_input_tokens),
    // Fetched pages are free but for their tokens.
    webSearches: countOf(objectOf(usage.server_tool_use)?.web_search_requests),
  };
}

/** What makes the answer cost more or less than the list says; undefined for the standard price. */
export function tierOf(usage: JsonObject): string | undefined {
  if (usage.speed === "fast") return "fast";
  if (usage.service_tier === "priority" || usage.service_tier === "batch") return usage.service_tier;
  return usage.inference_geo === "us" ? "us" : undefined;
}

export interface Iteration {
  /** Undefined where the response's own model did it. */
  readonly model: string | undefined;
  readonly usage: TokenUsage;
}

/**
 * Work on the provider's side that the counts of the response leave out: a compaction, and an advisor that is another
 * model with its own price. `message` and `fallback_message` entries are in those counts.
 */
export function iterationsBeside(usage: JsonObject): readonly Iteration[] {
  return listOf(usage.iterations).flatMap((entry) => {
    const iteration = objectOf(entry);
    if (iteration?.type !== "compaction" && iteration?.type !== "advisor_message") return [];
    return [{ model: textOf(iteration.model), usage: usageOf(iteration) }];
  });
}
