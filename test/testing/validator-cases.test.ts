/**
 * The validators against the shared case folders: what is admitted there must be a 200 here, what is unsafe a 4xx with a
 * rule that the case names. Runs only where the folders exist; the same structures are small fixtures in the tests
 * beside the sources.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createProviderContext,
  type RememberedExchange,
  type SimulatedBackend,
  validateRequest,
} from "../../src/testing/index.ts";
import { rememberExchange } from "../../src/testing/remember.ts";

const folders = ["../../../shared/cases/open", "../../../shared/cases/stateful"].map((path) =>
  join(import.meta.dirname, path),
);
interface Expected {
  readonly api: string;
  readonly backend: SimulatedBackend;
  readonly model: string;
  readonly verdict: "admit" | "unsafe";
  readonly rules: readonly string[];
  readonly also?: readonly string[];
  readonly doubt?: string;
}

describe.runIf(folders.every((folder) => existsSync(folder)))("DG-2 with the shared case folders present", () => {
  for (const folder of folders.filter((one) => existsSync(one))) {
    for (const name of readdirSync(folder)) {
      const expected = readJson(join(folder, name, "expected.json")) as Expected;
      if (expected.doubt !== undefined) continue;
      test(`${name} is ${expected.verdict}`, () => checkCase(join(folder, name), expected));
    }
  }
});

function checkCase(folder: string, expected: Expected): void {
  // The cases send deltas to histories that only the real server holds.
  const context = createProviderContext({ backend: expected.backend, unknownAnchors: "accept" });
  const received = join(folder, "received.json");
  const exchanges = existsSync(received) ? (readJson(received) as RememberedExchange[]) : [];
  for (const exchange of exchanges) rememberExchange(exchange, context);
  const verdict = validateRequest(expected.api, readJson(join(folder, "request.json")), context, {
    model: expected.model,
  });
  const rule = "rule" in verdict ? verdict.rule : null;
  if (expected.verdict === "admit") expect({ status: verdict.status, rule }).toEqual({ status: 200, rule: null });
  else {
    expect(verdict.status).toBe(400);
    expect([...expected.rules, ...(expected.also ?? [])]).toContain(rule);
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
