/**
 * One body for each hard rule (`test/corpus/rules`): a validator that shares nothing with the gate rejects it, takes what the
 * gate makes of it, and without the rule the corpus says so.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import { judgeFixture, listChanges } from "../../src/corpus/judged-fixture.ts";
import type { Rule } from "../../src/dispatch/rule.ts";
import { RULES, rulesOf } from "../../src/dispatch/rules/rules.ts";
import { judgeBody } from "../../src/engine/judge-body.ts";
import {
  createProviderContext,
  type RememberedExchange,
  rememberExchange,
  type SimulatedBackend,
  validateRequest,
} from "../../src/testing/index.ts";
import type { Api } from "../../src/wire/api.ts";

const corpus = new CorpusFolder(join(import.meta.dirname, "../corpus/rules"));

/** Rules about what only the server knows: they explain a rejection and find nothing. */
const EXPLAINING = ["A-THR-29"];
/** Its body has more than 100,000 rows; the rule's own test makes it. */
const TOO_LARGE = ["A-MAX-30"];

const hard = RULES.filter(({ id, evidence }) => evidence !== "O" && evidence !== "?" && !EXPLAINING.includes(id));
const ids = [...new Set(hard.map(({ id }) => id))].filter((id) => !TOO_LARGE.includes(id));

test("DG-7 acceptance 2: the corpus has one fixture for every hard rule, and for nothing else", () => {
  expect(corpus.listIds()).toEqual(ids.toSorted());
});

test.each(ids)("DG-2 DG-10 acceptance 2: %s is found, rejected as it is, and repaired or degraded", (id) => {
  const { bytes, fixture, hints, statusOf } = open(id);
  const isSilent = hard.some((rule) => rule.id === id && rule.silent === true);
  expect(fixture.rules).toContain(id);
  // A silent fault costs the answer: the server takes the request.
  expect(statusOf(bytes)).toBe(isSilent ? 200 : 400);
  const judged = judgeBody(bytes, hints);
  if (judged.kind !== "judged") throw new Error(judged.kind);
  expect(judged.outcome).toBe(fixture.outcome);
  expect(["repaired", "degraded"]).toContain(judged.outcome);
  if (judged.outcome === "repaired") expect(judged.repaired).not.toBeNull();
  // Options and content change only after the rejection; what then goes out is taken too.
  if (judged.repaired !== null) expect(statusOf(judged.repaired)).toBe(200);
});

test.each(ids)("DG-72 acceptance 2: without %s the corpus fails", (id) => {
  const { bytes, fixture, hints } = open(id);
  const without = withoutRule(fixture.api, id, () => judgeFixture(bytes, hints)!);
  expect(listChanges(fixture, without)).toContain("rules");
  expect(listChanges(fixture, judgeFixture(bytes, hints)!)).toEqual([]);
});

function open(id: string) {
  const { bytes, fixture, received } = corpus.readFixture(id);
  const { api, backend, model } = fixture!;
  const hints = { api, backend, ...(model !== null && { model }), received };
  const statusOf = (body: Uint8Array): number => {
    const context = createProviderContext({
      backend: backend as SimulatedBackend,
      strictSignatures: received.length > 0,
    });
    for (const exchange of received) rememberExchange(exchange as RememberedExchange, context);
    const parsed: unknown = JSON.parse(Buffer.from(body).toString());
    return validateRequest(api, parsed, context, { model: model ?? "" }).status;
  };
  return { bytes, fixture: fixture!, hints, statusOf };
}

/** The table is what the gate itself reads. */
function withoutRule<T>(api: Api, id: string, run: () => T): T {
  const table = rulesOf(api) as Rule[];
  const kept = [...table];
  table.splice(0, table.length, ...kept.filter((rule) => rule.id !== id));
  try {
    return run();
  } finally {
    table.splice(0, table.length, ...kept);
  }
}
