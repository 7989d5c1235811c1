/** Random histories of Gemini, Converse and Mistral, judged by the gate and by validators that share nothing with it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, type SimulatedBackend, validateRequest } from "../../src/testing/index.ts";
import type { Api } from "../../src/wire/api.ts";
import { damageOf, type JsonRow, OTHER_APIS, type OtherApi } from "./other-apis-history.ts";

/** Set HOLDFAST_TEST_RUNS to try more than the default on a free machine. */
const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 1_000);

interface Server {
  readonly api: Api;
  readonly backend: SimulatedBackend;
  readonly model: string;
  readonly history: OtherApi;
}

const SERVERS: readonly Server[] = [
  { api: "google-generative-ai", backend: "google", model: "gemini-2.5-pro", history: OTHER_APIS.google },
  { api: "google-vertex", backend: "vertex", model: "gemini-2.5-flash", history: OTHER_APIS.google },
  {
    api: "bedrock-converse-stream",
    backend: "bedrock",
    model: "us.anthropic.claude-sonnet-4-5",
    history: OTHER_APIS.converse,
  },
  { api: "mistral-conversations", backend: "mistral", model: "mistral-large-latest", history: OTHER_APIS.mistral },
];

for (const server of SERVERS) {
  const { api, backend, history } = server;

  test(`DG-2 a legal history of ${api} is never unsafe`, () => {
    fc.assert(
      fc.property(history.legal, (body) => {
        expect(statusOf(body, server)).toBe(200);
        expect(judged(body, server)).toMatchObject({ verdict: { kind: "admit" }, repaired: null });
      }),
      { numRuns },
    );
  });

  test(`DG-21 a damaged history of ${api} at ${backend} is judged as the provider judges it, and is legal after repair if anybody asks`, () => {
    fc.assert(
      fc.property(history.legal, fc.array(damageOf(history), { maxLength: 3 }), (body, damages) => {
        const damaged = damagedBody(body, damages, history);
        const { verdict, outcome, repaired } = judged(damaged, server);
        expect(verdict.kind === "unsafe" ? 400 : 200).toBe(statusOf(damaged, server));
        // An empty reply alone: nothing is left to ask with.
        fc.pre(outcome !== "degraded" || /"role":"(user|tool)"/.test(JSON.stringify(damaged)));
        const sent = repaired ?? damaged;
        expect(statusOf(sent, server)).toBe(200);
        expect(judged(sent, server)).toMatchObject({ outcome: "sent", repaired: null });
      }),
      { numRuns },
    );
  });

  test(`DG-22 no repair of ${api} at ${backend} loses a result or a word of the user`, () => {
    fc.assert(
      fc.property(history.legal, fc.array(damageOf(history), { maxLength: 2 }), (body, damages) => {
        const damaged = damagedBody(body, damages, history);
        const after = JSON.stringify(judged(damaged, server).repaired ?? damaged);
        const said = JSON.stringify(damaged).matchAll(/result of c\d\d|an odd result|a steer message|a stray reply/g);
        for (const [words] of said) expect(after).toContain(words);
      }),
      { numRuns },
    );
  });
}

function damagedBody(
  body: { readonly [name: string]: unknown },
  damages: readonly ((rows: readonly JsonRow[]) => readonly JsonRow[])[],
  { rowsName }: OtherApi,
): object {
  const rows = damages.reduce((all, change) => change(all), body[rowsName] as readonly JsonRow[]);
  fc.pre(rows.length > 0);
  return { ...body, [rowsName]: rows };
}

function judged(body: object, { api, backend, model }: Server) {
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { api, backend, model });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const { verdict, outcome, repaired } = judgement;
  const sent = repaired === null ? null : (JSON.parse(Buffer.from(repaired).toString()) as object);
  return { verdict, outcome, repaired: sent };
}

function statusOf(body: object, { api, backend, model }: Server): number {
  // The gate leaves to Mistral what nobody has seen it say.
  const context = createProviderContext({ backend, accepts: ["M-COUNT-5", "C-NULL-3"] });
  return validateRequest(api, { ...body, model }, context, { model }).status;
}
