/** Random histories, judged by the gate and by the simulated provider's own validator, which shares nothing with it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BodyJudgement, judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, type SimulatedBackend, validateChat } from "../../src/testing/index.ts";
import type { ChatBody, ChatRow } from "./chat-body.ts";
import { damage, legalHistory } from "./chat-history.ts";

type Judged = Extract<BodyJudgement, { kind: "judged" }>;

/** Set HOLDFAST_TEST_RUNS to try more than the default on a free machine. */
const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 2_000);

interface Server {
  readonly backend: SimulatedBackend;
  readonly model: string;
  /** Rules of OpenAI's own server that nobody has seen on this one: the gate does not name it for them. */
  readonly accepts?: readonly string[];
}

const servers: fc.Arbitrary<Server> = fc.constantFrom<Server>(
  { backend: "openai", model: "gpt-4.1" },
  { backend: "deepseek", model: "deepseek-reasoner" },
  { backend: "moonshot", model: "kimi-k2-thinking" },
  { backend: "qwen", model: "qwen3-max", accepts: ["C-NULL-3"] },
  { backend: "groq", model: "openai/gpt-oss-120b", accepts: ["C-NULL-3", "C-PAIR-1", "C-PAIR-2"] },
  { backend: "ollama", model: "gpt-oss:20b", accepts: ["C-NULL-3"] },
  { backend: "vllm", model: "devstral-small-2507", accepts: ["C-NULL-3"] },
  { backend: "llamacpp", model: "qwen3-coder-30b", accepts: ["C-NULL-3"] },
  { backend: "lmstudio", model: "magistral-small" },
);

function judged(bytes: Uint8Array, backend: SimulatedBackend): Judged {
  const judgement = judgeBody(bytes, { api: "openai-completions", backend });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  return judgement;
}

function statusOf(bytes: Uint8Array, { backend, accepts = [] }: Server): number {
  return validateChat(JSON.parse(Buffer.from(bytes).toString()), createProviderContext({ backend, accepts })).status;
}

function damaged(body: ChatBody, damages: readonly ((rows: readonly ChatRow[]) => readonly ChatRow[])[]): ChatBody {
  const messages = damages.reduce<readonly ChatRow[]>((rows, change) => change(rows), body.messages);
  fc.pre(messages.length > 0);
  return { ...body, messages };
}

test("DG-2 a legal Chat Completions history is never unsafe, whatever its order", () => {
  fc.assert(
    fc.property(legalHistory, (body) => {
      const bytes = Buffer.from(JSON.stringify(body));
      expect(statusOf(bytes, { backend: "openai", model: body.model })).toBe(200);
      expect(judged(bytes, "openai").verdict).toEqual({ kind: "admit" });
    }),
    { numRuns },
  );
});

test("DG-21 a damaged Chat Completions history is legal after repair on every server, or stated as degraded", () => {
  fc.assert(
    fc.property(legalHistory, fc.array(damage, { maxLength: 3 }), servers, (body, damages, server) => {
      const bytes = Buffer.from(JSON.stringify({ ...damaged(body, damages), model: server.model }));
      const judgement = judged(bytes, server.backend);
      expect(judgement.verdict.kind === "unsafe" ? 400 : 200).toBe(statusOf(bytes, server));
      if (judgement.outcome === "degraded") return;
      const sent = judgement.outcome === "repaired" ? judgement.repaired! : bytes;
      expect(statusOf(sent, server)).toBe(200);
      expect(judged(sent, server.backend)).toMatchObject({ outcome: "sent", repaired: null });
    }),
    { numRuns },
  );
});

test("DG-22 no repair of a Chat Completions history loses a result or a word of the user", () => {
  fc.assert(
    fc.property(legalHistory, fc.array(damage, { maxLength: 2 }), servers, (body, damages, { backend, model }) => {
      const before = JSON.stringify({ ...damaged(body, damages), model });
      const { repaired } = judged(Buffer.from(before), backend);
      const after = repaired === null ? before : Buffer.from(repaired).toString();
      for (const [words] of before.matchAll(/result \d\.\d|an odd result|a steer message|a late note|I look\./g)) {
        expect(after).toContain(words);
      }
    }),
    { numRuns },
  );
});
