import { readFileSync } from "node:fs";
import { z } from "zod";
import { HoldfastError } from "../lib/error.ts";
import type { ModelPrice, TierTable } from "./price.ts";

/**
 * Prices of a contract, or of a model that the bundled table does not know yet, by exact model id; `ID@fast` is the model
 * at a speed or tier that is paid apart.
 */
export type PriceOverrides = Readonly<Record<string, ModelPrice>>;

const price = z.number().nonnegative();
const overrideFile = z.object({
  models: z.record(
    z.string(),
    z.strictObject({
      input_mtok: price,
      output_mtok: price,
      cache_read_mtok: price.optional(),
      cache_write_mtok: price.optional(),
      cache_write_1h_mtok: price.optional(),
      web_searches_kcount: price.optional(),
    }),
  ),
});

/**
 * Reads an override file: `{"models":{"my-model":{"input_mtok":2,"output_mtok":8,"cache_read_mtok":0.2}}}`, in US dollars
 * per million tokens; `web_searches_kcount` is for a thousand searches.
 * @throws HoldfastError `price_file_invalid` with the place of the first fault
 */
export function readPriceOverrides(path: string): PriceOverrides {
  const parsed = overrideFile.safeParse(readJson(path));
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const pointer = issue.path.map((step) => `/${String(step)}`).join("");
    throw new HoldfastError("price_file_invalid", `${path}${pointer}: ${issue.message}. Correct it and run again.`);
  }
  const overrides: [string, ModelPrice][] = Object.entries(parsed.data.models).map(([model, row]) => {
    const cacheWrite = row.cache_write_mtok ?? row.input_mtok;
    return [
      model,
      {
        input: flat(row.input_mtok),
        output: flat(row.output_mtok),
        cacheRead: flat(row.cache_read_mtok ?? row.input_mtok),
        cacheWrite: flat(cacheWrite),
        cacheWrite1h: flat(row.cache_write_1h_mtok ?? cacheWrite),
        usdPerWebSearch: (row.web_searches_kcount ?? 0) / 1000,
      },
    ];
  });
  return Object.fromEntries(overrides);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new HoldfastError(
      "price_file_invalid",
      `The price file ${path} cannot be read: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

function flat(usdPerMillion: number): TierTable {
  return [{ above: -1, usdPerMillion }];
}
