/** How a redacted body is held against its original. */
import { expect } from "vitest";
import { Filler } from "../../src/corpus/filler.ts";
import { redactBody } from "../../src/corpus/redact.ts";
import { type JudgeHints, judgeBody } from "../../src/engine/judge-body.ts";
import { diffRequests } from "../../src/report/diff/diff-requests.ts";
import { openSessionRequest, type SessionRequest } from "../../src/report/diff/session-request.ts";
import type { Api } from "../../src/wire/api.ts";

export function redact(bytes: Uint8Array, filler = new Filler()): Buffer {
  const redacted = redactBody(bytes, filler);
  if (redacted === null) throw new Error("no JSON");
  return Buffer.from(redacted);
}

/** Everything that a verdict says but paths and words: those name what was redacted. */
function summarise(bytes: Uint8Array, hints: JudgeHints): object {
  const judged = judgeBody(bytes, hints);
  if (judged.kind !== "judged") return { kind: judged.kind };
  const { verdict, outcome, allEdits } = judged;
  return {
    verdict: verdict.kind,
    rules: verdict.kind === "unsafe" ? verdict.hard.map(({ rule, repair }) => [rule, repair]) : [],
    classes: verdict.kind === "admit" ? [] : verdict.soft.map(({ class: name, count }) => [name, count]),
    outcome,
    edits: allEdits.map(({ op, rule, changes }) => [op, rule, changes]),
  };
}

/** The same verdict, rules, classes, outcome and edits. */
export function checkSame(bytes: Uint8Array, hints: JudgeHints = {}, received: readonly object[] = []): void {
  const filler = new Filler();
  const redacted = redact(bytes, filler);
  const seen = JSON.parse(redact(Buffer.from(JSON.stringify(received)), filler).toString()) as object[];
  const model = hints.model === undefined ? {} : { model: filler.model(hints.model) };
  expect(summarise(redacted, { ...hints, ...model, received: seen })).toEqual(summarise(bytes, { ...hints, received }));
}

/** The text itself, its strings without their escapes, and what base64 in it hides. */
export function readAll(bytes: Buffer): string {
  const strings = stringsOf(JSON.parse(bytes.toString()));
  const decoded = strings.map((text) => Buffer.from(text.replace(/^data:.*?,/, ""), "base64").toString("latin1"));
  return [bytes.toString(), ...strings, ...decoded].join("\n");
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsOf(member)]);
}

/** What `holdfast diff` says of two requests, without paths and values. */
export function causeOf(before: Uint8Array, after: Uint8Array, api: Api): object {
  const [was, is] = [before, after].map((bytes) => openSessionRequest(bytes, { api }) as SessionRequest);
  const { decisive, also, prefixKept, hard } = diffRequests(was!, is!);
  const causes = [decisive, ...also].map((change) => change && [change.cause, change.volatile, change.path.length]);
  return { causes, prefixKept, hard };
}
