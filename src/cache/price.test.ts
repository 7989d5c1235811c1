import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calcPrice } from "@pydantic/genai-prices";
import { expect, onTestFinished, test } from "vitest";
import { costOf, PriceTable } from "./price.ts";
import { readPriceOverrides } from "./price-overrides.ts";

const usage = { input: 4000, output: 900, cacheRead: 150_000, cacheWrite: 30_000, cacheWrite1h: 20_000 };

test("SC-9 costs equal those of the bundled table, with tiers, lifetimes and dates", () => {
  const models = ["claude-sonnet-4-5", "claude-opus-5-5", "claude-opus-4-6", "gpt-5.5", "gpt-5.6", "gpt-6-astra"];
  for (const model of models) {
    for (const factor of [1, 0.1, 3]) {
      for (const day of ["2026-03-14", "2026-11-30"]) {
        const at = new Date(`${day}T09:00:00Z`);
        const scaled = Object.fromEntries(
          Object.entries(usage).map(([key, value]) => [key, value * factor]),
        ) as typeof usage;
        const list = calcPrice(
          {
            input_tokens: scaled.input + scaled.cacheRead + scaled.cacheWrite,
            output_tokens: scaled.output,
            cache_read_tokens: scaled.cacheRead,
            cache_write_tokens: scaled.cacheWrite,
            cache_write_1h_tokens: scaled.cacheWrite1h,
          },
          model,
          { timestamp: at },
        );
        const price = new PriceTable().find(model, at.getTime());
        expect(costOf(scaled, price!), `${model} ${day} x${factor}`).toBeCloseTo(list!.total_price, 9);
      }
    }
  }
});

test("SC-9 an unknown model has no price, and a file of one's own gives it one", () => {
  const path = join(tmpdir(), `holdfast-prices-${process.pid}.json`);
  onTestFinished(() => rmSync(path, { force: true }));
  expect(new PriceTable().find("shed-model", Number.NaN)).toBeUndefined();
  writeFileSync(
    path,
    JSON.stringify({ models: { "shed-model": { input_mtok: 2, output_mtok: 8, cache_read_mtok: 0.5 } } }),
  );
  const price = new PriceTable(readPriceOverrides(path)).find("shed-model", Number.NaN)!;
  expect(costOf({ input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, cacheWrite1h: 0 }, price)).toBeCloseTo(
    12.5,
  );
  writeFileSync(path, JSON.stringify({ models: { "shed-model": { input_mtok: "two" } } }));
  expect(() => readPriceOverrides(path)).toThrow(/\/models\/shed-model\/input_mtok/);
  writeFileSync(path, "{");
  expect(() => readPriceOverrides(path)).toThrow(/cannot be read/);
});
