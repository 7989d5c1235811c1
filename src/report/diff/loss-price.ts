/** What a lost prefix costs once, in dollars. */
import { costOf, type PriceTable } from "../../cache/price.ts";
import type { DiffRecord } from "./diff-record.ts";

const TODAY = Number.NaN;

/**
 * What the tokens that are paid again cost as new input instead of as a read from the cache; null for a model without a known price.
 * Providers that charge for writes write the prefix again, which is how it is priced.
 */
export function priceLoss({ model, kept, rewritten: again }: DiffRecord, prices: PriceTable): number | null {
  const price = model === null ? undefined : prices.find(model, TODAY);
  if (price === undefined) return null;
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
  const rewritten = costOf({ ...nothing, cacheRead: kept.tokens, cacheWrite: again.tokens }, price);
  const served = costOf({ ...nothing, cacheRead: kept.tokens + again.tokens }, price);
  return Math.max(0, rewritten - served);
}
