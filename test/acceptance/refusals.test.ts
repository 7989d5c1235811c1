/**
 * The corpus of turns that a guard by position refuses, encoded by Pi and OMP themselves: sent through the engine with what
 * the host had prepared, and judged by a validator that shares nothing with the gate.
 */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CorpusFolder, type StoredFixture } from "../../src/corpus/corpus-folder.ts";
import { toRows } from "../../src/corpus/prepared-rows.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { CheckedRequest } from "../../src/engine/engine.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { createProviderContext, type SimulatedBackend, validateRequest } from "../../src/testing/index.ts";

const corpus = new CorpusFolder(join(import.meta.dirname, "../corpus/refusals"));
const fixtures = corpus.listIds().map((id) => corpus.readFixture(id));
const legal = fixtures.filter(({ fixture }) => fixture!.rules.length === 0);

/** The turn as its host's extension hands it over, in a session of its own. */
async function send({ id, bytes, fixture, prepared }: StoredFixture): Promise<CheckedRequest> {
  const engine = await createEngine({ store: openMemoryStore(), hashKey: new Uint8Array(32) });
  onTestFinished(() => engine.close());
  const { api, backend } = fixture!;
  const history = { host: prepared!.host, form: "host", rows: toRows(prepared!), edits: [], operation: id } as const;
  return await engine.checkRequest({
    upstream: { name: "provider", url: "https://api.test", api, backend },
    mode: "guard",
    method: "POST",
    path: "/",
    headers: {},
    body: bytes,
    prepared: history,
  });
}

function statusOf({ fixture }: StoredFixture, bytes: Uint8Array): number {
  const { api, backend } = fixture!;
  // A chained request builds on a response that this provider has not given.
  const context = createProviderContext({ backend: backend as SimulatedBackend, unknownAnchors: "accept" });
  return validateRequest(api, JSON.parse(Buffer.from(bytes).toString()), context).status;
}

test("DG-2 DG-5 acceptance 1: every turn that a positional guard refuses and no hard rule names is admitted as it is", async () => {
  const refused = legal.filter(({ fixture }) => (fixture!.would_refuse ?? null) !== null);
  expect(refused.length).toBeGreaterThan(100);
  for (const one of refused) {
    const { record, body } = await send(one);
    expect(record.verdict.kind, one.id).not.toBe("unsafe");
    expect(record.outcome, one.id).toBe("sent");
    expect(body, one.id).toBe(one.bytes);
    expect(statusOf(one, body), one.id).toBe(200);
  }
});

test("DG-2 acceptance 1: an undisturbed history shows no difference, to the guard by position and to the gate", async () => {
  const plain = fixtures.filter(({ id }) => id.endsWith("/undisturbed"));
  expect(plain).toHaveLength(8);
  for (const { id, fixture } of plain) {
    expect(fixture, id).toMatchObject({ verdict: "admit", classes: [], would_refuse: null });
  }
});

test("DG-10 acceptance 2: what an encoder leaves illegal is repaired, or stated as degraded; no turn is lost", async () => {
  const hard = fixtures.filter(({ fixture }) => fixture!.rules.length > 0);
  expect(new Set(hard.map(({ fixture }) => fixture!.outcome))).toEqual(new Set(["repaired", "degraded"]));
  for (const one of hard) {
    const { record, body } = await send(one);
    expect(statusOf(one, one.bytes), one.id).toBe(400);
    expect(record.outcome, one.id).toBe(one.fixture!.outcome);
    if (record.outcome === "repaired") expect(statusOf(one, body), one.id).toBe(200);
    else expect(body, one.id).toBe(one.bytes);
  }
});

test.each([
  ["user-row-before-result", "omp", ["row_moved"]],
  ["user-row-before-result", "pi", ["result_synthesised"]],
  ["repeated-id", "omp", ["id_renamed"]],
  ["reasoning-of-another-model", "pi", ["foreign_reply_rewritten"]],
  ["reasoning-beside-words", "omp", ["foreign_reply_rewritten"]],
  ["call-without-result", "pi", ["result_synthesised"]],
  ["result-before-its-call", "omp", ["pair_dropped", "result_synthesised"]],
  ["result-without-call", "omp", ["rows_merged"]],
  ["second-result", "omp", ["row_missing"]],
  ["results-dropped-by-an-extension", "pi", ["result_content_changed"]],
  ["pairs-dropped-by-an-extension", "omp", ["pair_dropped"]],
  ["reminder-of-an-extension", "pi", ["row_extra"]],
  ["picture-for-a-blind-model", "pi", ["image_trimmed"]],
  ["half-a-character", "omp", ["well_formed"]],
])("DG-50 %s on %s has its class on every api", (name, host, classes) => {
  const same = fixtures.filter(({ id }) => id.startsWith(`${host}/`) && id.endsWith(`/${name}`));
  expect(same.length).toBeGreaterThan(0);
  for (const { id, fixture } of same) expect(fixture!.classes, id).toEqual(classes);
});

test("DG-31 results whose text was dropped say how many lost how much", () => {
  const dropped = fixtures.filter(({ id }) => id.endsWith("/results-dropped-by-an-extension"));
  expect(dropped.length).toBeGreaterThan(5);
  for (const { id, fixture } of dropped) expect(fixture!.lost, id).toEqual({ results: 2, characters: 632 });
});

test("DG-6 a continued chain is no history that was lost", () => {
  const chained = fixtures.filter(({ id }) => id.endsWith("/chained-continuation"));
  expect(chained.map(({ id }) => id)).toEqual([
    "omp/openai-responses/chained-continuation",
    "pi/anthropic-messages/chained-continuation",
    "pi/openai-codex-responses/chained-continuation",
  ]);
  for (const { fixture } of chained) expect(fixture).toMatchObject({ outcome: "sent", rules: [] });
  for (const { fixture } of chained) expect(fixture!.classes).not.toContain("row_missing");
});
