/** Random inputs, judged by the gate and by the simulated provider's own validator, which shares nothing with it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BodyJudgement, judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, type SimulatedBackend, validateResponses } from "../../src/testing/index.ts";
import type { Item, ResponsesBody } from "./responses-body.ts";
import { damage, legalInput } from "./responses-history.ts";

type Judged = Extract<BodyJudgement, { kind: "judged" }>;

/** Set HOLDFAST_TEST_RUNS to try more than the default on a free machine. */
const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 2_000);

const backends: fc.Arbitrary<SimulatedBackend> = fc.constantFrom("openai", "azure", "codex");

function judged(bytes: Uint8Array, backend: SimulatedBackend): Judged {
  const judgement = judgeBody(bytes, { api: "openai-responses", backend });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  return judgement;
}

function statusOf(bytes: Uint8Array, backend: SimulatedBackend): number {
  return validateResponses(JSON.parse(Buffer.from(bytes).toString()), createProviderContext({ backend })).status;
}

function damaged(body: ResponsesBody, damages: readonly ((items: readonly Item[]) => readonly Item[])[]): Buffer {
  const input = damages.reduce((items, change) => change(items), body.input);
  fc.pre(input.length > 0);
  return Buffer.from(JSON.stringify({ ...body, input }));
}

test("DG-2 a legal Responses input is never unsafe, whatever its order", () => {
  fc.assert(
    fc.property(legalInput, backends, (body, backend) => {
      const bytes = Buffer.from(JSON.stringify(body));
      expect(statusOf(bytes, backend)).toBe(200);
      expect(judged(bytes, backend).verdict).toEqual({ kind: "admit" });
    }),
    { numRuns },
  );
});

test("DG-21 a damaged Responses input is judged as the provider judges it, and is legal after repair or stated as degraded", () => {
  fc.assert(
    fc.property(legalInput, fc.array(damage, { maxLength: 3 }), backends, (body, damages, backend) => {
      const bytes = damaged(body, damages);
      const judgement = judged(bytes, backend);
      expect(judgement.verdict.kind === "unsafe" ? 400 : 200).toBe(statusOf(bytes, backend));
      if (judgement.outcome === "degraded") return;
      const sent = judgement.outcome === "repaired" ? judgement.repaired! : bytes;
      expect(statusOf(sent, backend)).toBe(200);
      expect(judged(sent, backend)).toMatchObject({ outcome: "sent", repaired: null });
    }),
    { numRuns },
  );
});

test("DG-22 no repair of a Responses input loses a result or a word of the user", () => {
  fc.assert(
    fc.property(legalInput, fc.array(damage, { maxLength: 2 }), backends, (body, damages, backend) => {
      const bytes = damaged(body, damages);
      const { repaired } = judged(bytes, backend);
      const after = Buffer.from(repaired ?? bytes).toString();
      for (const [words] of bytes
        .toString()
        .matchAll(/result of call_\d_\d|an odd result|a steer message|a stray reply/g)) {
        expect(after).toContain(words);
      }
    }),
    { numRuns },
  );
});
