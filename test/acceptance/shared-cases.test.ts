/**
 * Bodies from public reports with the answer that is right. They lie beside the project on a development machine; where
 * the folder is absent, the small cases in `test/dispatch` say the same.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type JudgeHints, judgeBody } from "../../src/engine/judge-body.ts";
import {
  createProviderContext,
  type RememberedExchange,
  type SimulatedBackend,
  validateRequest,
} from "../../src/testing/index.ts";
import { rememberExchange } from "../../src/testing/remember.ts";
import type { Api, Backend } from "../../src/wire/api.ts";

interface Expected {
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string;
  readonly verdict: "admit" | "unsafe";
  readonly rules: readonly string[];
  readonly also?: readonly string[];
  readonly repairable: boolean;
  readonly keeps: readonly string[];
}

for (const folder of ["open", "stateful"]) {
  const root = join(import.meta.dirname, "../../../shared/cases", folder);
  describe.runIf(existsSync(root))(
    `DG-2 DG-21 every case of ${folder} has its verdict, its rules and a repair that holds`,
    () => {
      for (const name of existsSync(root) ? readdirSync(root) : []) test(name, () => checkCase(join(root, name)));
    },
  );
}

function checkCase(folder: string): void {
  const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected;
  const received = existsSync(join(folder, "received.json"))
    ? (JSON.parse(readFileSync(join(folder, "received.json"), "utf8")) as RememberedExchange[])
    : [];
  const hints: JudgeHints = { ...expected, received };
  const bytes = readFileSync(join(folder, "request.json"));
  const { verdict, outcome, repaired } = judged(bytes, hints);
  const found = new Set(verdict.kind === "unsafe" ? verdict.hard.map(({ rule }) => rule) : []);
  expect([...expected.rules].filter((rule) => !found.has(rule))).toEqual([]);
  expect([...found].filter((rule) => ![...expected.rules, ...(expected.also ?? [])].includes(rule))).toEqual([]);
  if (expected.verdict === "admit") expect({ outcome, repaired }).toEqual({ outcome: "sent", repaired: null });
  if (!expected.repairable) return;
  expect(repaired).not.toBeNull();
  checkRepair(repaired!, hints, expected, received);
}

function checkRepair(
  repaired: Uint8Array,
  hints: JudgeHints,
  expected: Expected,
  received: readonly RememberedExchange[],
): void {
  const body: unknown = JSON.parse(Buffer.from(repaired).toString());
  for (const words of expected.keeps) expect(stringsOf(body).some((text) => text.includes(words))).toBe(true);
  expect(judged(repaired, hints)).toMatchObject({ outcome: "sent", repaired: null });
  const context = createProviderContext({ backend: expected.backend as SimulatedBackend, unknownAnchors: "accept" });
  for (const exchange of received) rememberExchange(exchange, context);
  expect(validateRequest(expected.api, body, context, { model: expected.model })).toMatchObject({ status: 200 });
}

function judged(bytes: Uint8Array, hints: JudgeHints) {
  const judgement = judgeBody(bytes, hints);
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  return judgement;
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
