import { countOf, type JsonObject, objectOf } from "../json-value.ts";
import { noUsage, type TokenUsage } from "../transcript.ts";

/** Codex counts cached and written tokens inside `input_tokens`; here the classes are apart. */
export function usageOf(raw: JsonObject): TokenUsage {
  const all = countOf(raw.input_tokens);
  const cacheRead = Math.min(countOf(raw.cached_input_tokens), all);
  const cacheWrite = Math.min(countOf(raw.cache_write_input_tokens), all - cacheRead);
  const output = countOf(raw.output_tokens);
  return { input: all - cacheRead - cacheWrite, output, cacheRead, cacheWrite, cacheWrite1h: 0, webSearches: 0 };
}

/** The tier that is paid apart; undefined for the standard one. Codex asks the provider for `priority` where its user says fast. */
export function tierOf({ service_tier: tier }: JsonObject): string | undefined {
  if (tier === "fast" || tier === "priority") return "priority";
  return tier === "flex" || tier === "batch" ? tier : undefined;
}

/**
 * Turns the `token_count` rows of older files into responses. They repeat without a new response behind them, carry
 * nothing at times, and start again at zero with a new process.
 */
export class TokenCounts {
  #total = "";
  #last = "";
  #totalUsage: TokenUsage = noUsage;

  /** The running total of the newest row, as it stands there. */
  get total(): string {
    return this.#total;
  }

  /** The usage of a response that no row before told of, or undefined for a repeat or an estimate. */
  read(info: JsonObject | undefined): TokenUsage | undefined {
    const total = objectOf(info?.total_token_usage);
    const last = objectOf(info?.last_token_usage);
    if (total === undefined && last === undefined) return undefined;
    const before = this.#totalUsage;
    const repeated = JSON.stringify(total) === this.#total && JSON.stringify(last) === this.#last;
    this.#total = JSON.stringify(total);
    this.#last = JSON.stringify(last);
    if (total !== undefined) this.#totalUsage = usageOf(total);
    if (repeated) return undefined;
    const usage = last === undefined ? difference(usageOf(total!), before) : usageOf(last);
    const isEmpty = usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0;
    return isEmpty ? undefined : usage;
  }
}

function difference(total: TokenUsage, before: TokenUsage): TokenUsage {
  const all = (usage: TokenUsage) => usage.input + usage.cacheRead + usage.output;
  // A smaller total is a new process that counts from zero.
  if (all(total) < all(before)) return total;
  return {
    input: Math.max(0, total.input - before.input),
    output: Math.max(0, total.output - before.output),
    cacheRead: Math.max(0, total.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, total.cacheWrite - before.cacheWrite),
    cacheWrite1h: 0,
    webSearches: 0,
  };
}
