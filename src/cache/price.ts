import { calcPrice, type TieredPrices } from "@pydantic/genai-prices";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { PriceOverrides } from "./price-overrides.ts";

/**
 * Prices in US dollars per million tokens, as they were on a given day. Multipliers are no constants: one model reads
 * its cache at a tenth of the input price, another at a fortieth, and writes may cost more or nothing.
 */
export interface ModelPrice {
  readonly input: TierTable;
  readonly output: TierTable;
  readonly cacheRead: TierTable;
  readonly cacheWrite: TierTable;
  readonly cacheWrite1h: TierTable;
  /** For one search that the provider made itself. */
  readonly usdPerWebSearch: number;
}

/** The price for a prompt of more than `above` tokens, largest first; the last one is for all. */
export type TierTable = readonly { readonly above: number; readonly usdPerMillion: number }[];

/** Input classes do not overlap, except that 1 h writes are part of the writes. */
export interface PricedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly webSearches?: number;
}

/** Looks prices up by model and hour: the table knows days, and a few providers are cheaper at night. */
export class PriceTable {
  readonly #overrides: PriceOverrides;
  readonly #clock: Clock;
  readonly #known = new Map<string, ModelPrice | undefined>();

  constructor(overrides: PriceOverrides = {}, clock: Clock = systemClock) {
    this.#overrides = overrides;
    this.#clock = clock;
  }

  /**
   * The price of `model` at a time, or undefined for a model that no table knows.
   * @param at milliseconds since 1970; NaN takes today's price
   * @param tier speed or tier that is paid apart, as `fast`; only an override knows its price, the list has the standard
   */
  find(model: string, at: number, tier = ""): ModelPrice | undefined {
    return this.#overrides[`${model}@${tier}`] ?? this.#overrides[model] ?? this.#list(model, at);
  }

  /** Whether an answer at this tier has its own price, or counts at the standard one. */
  knowsTier(model: string, tier: string): boolean {
    return tier === "" || Object.hasOwn(this.#overrides, `${model}@${tier}`);
  }

  #list(model: string, at: number): ModelPrice | undefined {
    const hour = Math.floor((Number.isNaN(at) ? this.#clock.now() : at) / 3_600_000);
    const key = `${hour} ${model}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const price = listPrice(model, new Date(hour * 3_600_000));
    // The hours of a year times a few models: small, and bounded by what the files hold.
    this.#known.set(key, price);
    return price;
  }
}

/** Dollars for one response. The tier is chosen by the whole prompt. */
export function costOf(usage: PricedUsage, price: ModelPrice): number {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const write5m = usage.cacheWrite - usage.cacheWrite1h;
  const dollars = (table: TierTable, tokens: number) => (tokens === 0 ? 0 : (tierFor(table, prompt) * tokens) / 1e6);
  return (
    dollars(price.input, usage.input) +
    dollars(price.cacheRead, usage.cacheRead) +
    dollars(price.cacheWrite, write5m) +
    dollars(price.cacheWrite1h, usage.cacheWrite1h) +
    dollars(price.output, usage.output) +
    price.usdPerWebSearch * (usage.webSearches ?? 0)
  );
}

function tierFor(table: TierTable, prompt: number): number {
  return table.find((tier) => prompt > tier.above)?.usdPerMillion ?? 0;
}

/** The list price of the bundled table, which has a date for every change. */
function listPrice(model: string, at: Date): ModelPrice | undefined {
  // Any small usage does: only the price row is wanted, so that half a million responses need one look-up each model.
  const found = calcPrice({ input_tokens: 1 }, model, { timestamp: at });
  if (found === null) return undefined;
  const row = found.model_price;
  const input = toTiers(row.input_mtok, []);
  const cacheWrite = toTiers(row.cache_write_mtok, input);
  return {
    input,
    output: toTiers(row.output_mtok, []),
    // What a table does not name apart is paid as plain input.
    cacheRead: toTiers(row.cache_read_mtok, input),
    cacheWrite,
    cacheWrite1h: toTiers(row.cache_write_1h_mtok, cacheWrite),
    usdPerWebSearch: tierFor(toTiers(row.web_searches_kcount, []), 0) / 1000,
  };
}

function toTiers(price: number | TieredPrices | undefined, otherwise: TierTable): TierTable {
  if (price === undefined) return otherwise;
  if (typeof price === "number") return [{ above: -1, usdPerMillion: price }];
  const tiers = price.tiers.map((tier) => ({ above: tier.start, usdPerMillion: tier.price }));
  return [...tiers.sort((a, b) => b.above - a.above), { above: -1, usdPerMillion: price.base }];
}
