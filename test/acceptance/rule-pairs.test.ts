/**
 * Every ordered pair of faults that one history can have (DG-21): the bodies of `test/corpus/rules` behind one another, with
 * the same ids and with their own. One repair can uncover, or undo, what another one is about.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import { RULES } from "../../src/dispatch/rules/rules.ts";
import { type BodyJudgement, judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, type SimulatedBackend, validateRequest } from "../../src/testing/index.ts";
import type { Api, Backend } from "../../src/wire/api.ts";

type Judged = Extract<BodyJudgement, { kind: "judged" }>;

interface Faulty {
  readonly id: string;
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string | null;
  readonly body: { readonly [member: string]: unknown };
}

const corpus = new CorpusFolder(join(import.meta.dirname, "../corpus/rules"));
const bodies = corpus.listIds().map((id): Faulty => {
  const { bytes, fixture } = corpus.readFixture(id);
  const { api, backend, model } = fixture!;
  return { id, api, backend, model, body: JSON.parse(Buffer.from(bytes).toString()) };
});

const APIS = [...new Set(bodies.map(({ api }) => api))];

test.each(APIS)("DG-21 %s: every ordered pair of faults is legal after one round, or stated as degraded", (api) => {
  const faulty = bodies.filter((one) => one.api === api);
  let repaired = 0;
  for (const first of faulty) {
    for (const second of faulty) {
      for (const body of [joined(first, second), joined(first, apart(second))]) {
        if (isClosed(first, body, `${first.id} then ${second.id}`)) repaired += 1;
      }
    }
  }
  // Most pairs are of two shapes that can be repaired.
  expect(repaired).toBeGreaterThan(faulty.length);
});

/** @returns whether the gate repaired the body ahead of sending */
function isClosed(place: Faulty, body: object, title: string): boolean {
  const bytes = Buffer.from(JSON.stringify(body));
  const judged = judge(place, bytes);
  expect(isRejected(judged) ? 400 : 200, title).toBe(statusOf(place, bytes));
  if (judged.outcome === "repaired") expect(statusOf(place, judged.repaired!), title).toBe(200);
  if (judged.repaired === null) return false;
  const again = judge(place, judged.repaired);
  expect(again.repaired, title).toBeNull();
  if (judged.outcome === "repaired") expect(again.outcome, title).toBe("sent");
  return judged.outcome === "repaired";
}

/** A silent fault costs the answer: the server takes the request. */
function isRejected({ verdict }: Judged): boolean {
  const silent = new Set(RULES.filter((rule) => rule.silent === true).map(({ id }) => id));
  return verdict.kind === "unsafe" && verdict.hard.some(({ rule }) => !silent.has(rule));
}

function judge({ api, backend, model }: Faulty, bytes: Uint8Array): Judged {
  const judged = judgeBody(bytes, { api, backend, ...(model !== null && { model }) });
  if (judged.kind !== "judged") throw new Error(judged.kind);
  return judged;
}

function statusOf({ api, backend, model }: Faulty, bytes: Uint8Array): number {
  // A server that copies an api was not seen to enforce all of its rules; the simulated one does unless it is told.
  const seen = RULES.filter((rule) => rule.apis.includes(api) && rule.backends.includes(backend));
  const known = new Set(seen.map(({ id }) => id));
  const accepts = RULES.map(({ id }) => id).filter((id) => !known.has(id));
  const context = createProviderContext({ backend: backend as SimulatedBackend, accepts });
  return validateRequest(api, JSON.parse(Buffer.from(bytes).toString()), context, { model: model ?? "" }).status;
}

const HISTORIES = ["messages", "input", "contents"] as const;

/** The second history behind the first, and what both set beside it: the first names the model. */
function joined(first: Faulty, second: Faulty): object {
  const name = HISTORIES.find((one) => one in first.body)!;
  const rows = [...(first.body[name] as unknown[]), ...(second.body[name] as unknown[])];
  return { ...second.body, ...first.body, [name]: rows };
}

const IDS = new Set(["id", "tool_use_id", "tool_call_id", "call_id", "toolUseId"]);

/** The same fault with ids of its own. */
function apart(faulty: Faulty): Faulty {
  const text = JSON.stringify(faulty.body, (name, value: unknown) =>
    IDS.has(name) && typeof value === "string" && value !== "" ? `${value}z` : value,
  );
  return { ...faulty, body: JSON.parse(text) };
}
