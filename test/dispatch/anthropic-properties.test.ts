/** Random histories, judged by the gate and by the simulated provider's own validator, which shares nothing with it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BodyJudgement, judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, validateAnthropic } from "../../src/testing/index.ts";
import { assistant, type BodyRow, call, request, user } from "./anthropic-body.ts";
import { damage, legalHistory } from "./anthropic-history.ts";

type Judged = Extract<BodyJudgement, { kind: "judged" }>;

/** Set HOLDFAST_TEST_RUNS to try more than the default on a free machine. */
const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 2_000);

function judged(bytes: Uint8Array): Judged {
  const judgement = judgeBody(bytes, { api: "anthropic-messages", backend: "anthropic" });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  return judgement;
}

function statusOf(bytes: Uint8Array): number {
  return validateAnthropic(JSON.parse(Buffer.from(bytes).toString()), createProviderContext()).status;
}

test("DG-2 a legal history is never unsafe, whatever its grouping and order", () => {
  fc.assert(
    fc.property(legalHistory, (body) => {
      const bytes = Buffer.from(JSON.stringify(body));
      expect(statusOf(bytes)).toBe(200);
      expect(judged(bytes).verdict).toEqual({ kind: "admit" });
    }),
    { numRuns },
  );
});

test("DG-21 a damaged history is judged as the provider judges it, and is legal after repair or stated as degraded", () => {
  fc.assert(
    fc.property(legalHistory, fc.array(damage, { minLength: 1, maxLength: 3 }), (body, damages) => {
      const messages = damages.reduce<readonly BodyRow[]>((rows, change) => change(rows), body.messages);
      // A system row in front of everything: what the provider says to it is known from other programs only.
      fc.pre(messages.length > 0 && messages[0]!.role !== "system");
      const bytes = Buffer.from(JSON.stringify({ ...body, messages }));
      const judgement = judged(bytes);
      expect(judgement.verdict.kind === "unsafe" ? 400 : 200).toBe(statusOf(bytes));
      if (judgement.outcome === "degraded") return;
      const sent = judgement.outcome === "repaired" ? judgement.repaired! : bytes;
      expect(statusOf(sent)).toBe(200);
      expect(judged(sent)).toMatchObject({ outcome: "sent", repaired: null });
    }),
    { numRuns },
  );
});

test("DG-22 no repair loses a result or a word of the user", () => {
  fc.assert(
    fc.property(legalHistory, damage, (body, change) => {
      const messages = change(body.messages);
      fc.pre(messages.length > 0);
      const before = JSON.stringify({ ...body, messages });
      const { repaired } = judged(Buffer.from(before));
      const after = repaired === null ? before : Buffer.from(repaired).toString();
      for (const [words] of before.matchAll(/result of call_\d_\d|a steer message|by the way|spliced in|a note/g)) {
        expect(after).toContain(words);
      }
    }),
    { numRuns },
  );
});

test("DG-1 a body of thousands of faults is not worked on without end: it goes out as it came", () => {
  const messages = Array.from({ length: 6_000 }, (_, index) => [user("x"), assistant([call(`call_${index}`)])]).flat();
  const judgement = judged(Buffer.from(JSON.stringify(request([...messages, user("end")]))));
  expect(judgement).toMatchObject({ verdict: { kind: "unsafe" }, outcome: "degraded", repaired: null });
});
