/** From a captured body to a fixture that may leave the machine: redacted, and judged to be still the same case. */
import { createHash } from "node:crypto";
import type { OrderedBody } from "./body-capture.ts";
import { Filler } from "./filler.ts";
import type { Fixture } from "./fixture.ts";
import { judgeFixture, listChanges } from "./judged-fixture.ts";
import { type PreparedRows, toRows } from "./prepared-rows.ts";
import { redactBody } from "./redact.ts";
import { redactPrepared } from "./redact-prepared.ts";

export type CapturedFixture =
  | {
      readonly kind: "fixture";
      readonly id: string;
      readonly fixture: Fixture;
      readonly bytes: Uint8Array;
      readonly prepared: PreparedRows | null;
    }
  /** `not_json`, or `verdict_changed`: the filler hid what the rules look at, so the fixture would show nothing. */
  | { readonly kind: "none"; readonly reason: "not_json" | "verdict_changed" };

export function toFixture({ bytes, api, backend, model, rejected, prepared }: OrderedBody): CapturedFixture {
  // A key for each fixture: two of them can't be laid side by side to guess words.
  const filler = new Filler();
  const redacted = redactBody(bytes, filler);
  const shown = prepared === null ? null : redactPrepared(prepared, filler);
  const original = judgeFixture(bytes, { api, backend, ...(model !== null && { model }), ...rowsOf(prepared) });
  if (redacted === null || original === null) return { kind: "none", reason: "not_json" };
  const shownModel = model === null ? null : filler.model(model);
  const now = judgeFixture(redacted, {
    api,
    backend,
    ...(shownModel !== null && { model: shownModel }),
    ...rowsOf(shown),
  });
  if (now === null || listChanges(original, now).length > 0) return { kind: "none", reason: "verdict_changed" };
  const { verdict, outcome, rules, classes, lost } = now;
  const known = { schema: 1, api, backend, model: shownModel, verdict, outcome, rules, classes } as const;
  const fixture: Fixture = { ...known, ...(lost && { lost }), ...(rejected && { rejected }) };
  return { kind: "fixture", id: nameFixture(fixture), fixture, bytes: redacted, prepared: shown };
}

function rowsOf(prepared: PreparedRows | null) {
  return prepared === null ? {} : { prepared: toRows(prepared) };
}

/** The same case has the same name in every process, so that it is kept once. */
function nameFixture(fixture: Fixture): string {
  const { api, verdict, rules, classes, rejected } = fixture;
  const what = rules[0] ?? classes[0] ?? (rejected === undefined ? verdict : `rejected-${rejected.status}`);
  const digest = createHash("sha256").update(JSON.stringify(fixture)).digest("hex").slice(0, 8);
  return `${api}-${what}-${digest}`.toLowerCase().replaceAll("_", "-");
}
