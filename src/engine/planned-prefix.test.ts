/** A run's plan against its requests, as bodies follow one another in a session. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ReadBody, readByDifference, readWhole } from "../dispatch/body-reader.ts";
import type { AgentDefinition } from "../plan/agent-definition.ts";
import { renderPrefix, renderRequest } from "../plan/render.ts";
import { verifyRequest } from "../plan/verify-plan.ts";
import { openStore } from "../store/open-store.ts";
import type { Api } from "../wire/api.ts";
import { createEngine } from "./create-engine.ts";
import { LOCAL_OWNER as owner } from "./plan-store.ts";
import { comparePlanned } from "./planned-prefix.ts";
import { type Started, startRun } from "./start-run.ts";

const tools = ["mail.flag", "mail.move"].map((name) => ({
  source: "configured" as const,
  spec: { name, version: "1", description: `Does ${name}.` },
}));

async function startOn(api: Api): Promise<Started> {
  const agent: AgentDefinition = {
    ...{ api, model: "m", framing: "You work.", instructions: "Be brief.", persona: null, skills: [], tools },
    ...{ policyVersion: "1", builderVersion: "1" },
  };
  const store = await openStore("memory:");
  const run = await startRun({ store, owner }, { session: "s", run: "r", scopes: [], agent, memoryText: "Likes tea." });
  if (run.kind !== "started") throw new Error(run.kind);
  return run;
}

function bodyOf(run: Started, turns: number, more: object = {}): string {
  const prefix = renderPrefix(run.plan, run.snapshotText);
  const rows = Array.from({ length: turns }, (_, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: `${n}` }));
  return renderRequest(prefix, { model: "m", [prefix.leading?.name ?? "messages"]: rows, ...more });
}

/** Reads each body by its difference to the one before, as the engine does. */
function readAll(bodies: readonly string[]): ReadBody[] {
  const read: ReadBody[] = [];
  for (const body of bodies) {
    const bytes = Buffer.from(body);
    const before = read.at(-1);
    const next = before === undefined ? null : readByDifference(bytes, before);
    read.push(next ?? readWhole(bytes, JSON.parse(body)));
  }
  return read;
}

/** What can happen to a body between two turns, so that it is still JSON. */
const MOVES: readonly ((body: string) => string)[] = [
  (body) => body,
  (body) => body.replace("You work.", "You rest."),
  (body) => body.replace("mail_move", "mail_moved"),
  (body) => body.replace('"Likes tea."', '"Likes tea.","cache_control":{"type":"ephemeral"}'),
  (body) => body.replace('"role":"user"', '"role":"system"'),
  (body) => body.replace(/"role":"system"/, '"role":"developer"'),
  (body) => body.replace(/}$/, ',"max_tokens":9}'),
  (body) => body.replace(/}$/, ',"tools":[]}'),
  (body) => body.replace(/}$/, ',"messages":[]}'),
  (body) => body.replace(/^{/, '{"system":[],'),
  (body) => body.replace(/^{/, '{ "metadata":{"user_id":"x"},'),
];

for (const api of ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"] as const) {
  test(`PI-16 a request of ${api} that is compared by what is new in it is judged as one that is compared whole`, async () => {
    const run = await startOn(api);
    const step = fc.record({
      grow: fc.integer({ min: 0, max: 3 }),
      moves: fc.array(fc.nat(MOVES.length - 1), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        let turns = 1;
        const bodies = steps.map(({ grow, moves }) => {
          turns += grow;
          return moves.reduce((body, move) => MOVES[move]!(body), bodyOf(run, turns));
        });
        for (const read of readAll(bodies)) {
          const whole = verifyRequest(run.plan, run.snapshotText, read.bytes);
          const paths = whole.kind === "equal" ? [] : [whole.path ?? whole.planned ?? ""];
          expect(comparePlanned(run, read).map(({ path }) => path)).toEqual(paths);
        }
      }),
      { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 500) },
    );
  });
}

test("PI-16 a prefix that is not as planned is a difference of the verdict, at its row, and goes out as it came", async () => {
  const run = await startOn("anthropic-messages");
  const engine = await createEngine({ store: await openStore("memory:"), hashKey: new Uint8Array(32) });
  const upstream = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;
  const request = { upstream, mode: "guard", method: "POST", path: "/v1/messages", headers: {}, planned: run } as const;
  const limits = { max_tokens: 9 };
  for (const [turns, move, soft] of [
    [1, 0, undefined],
    [3, 0, undefined],
    [5, 1, [{ class: "plan_prefix", path: "/system/0", count: 1 }]],
    [7, 2, [{ class: "plan_prefix", path: "/tools/1", count: 1 }]],
    [9, 0, undefined],
  ] as const) {
    const body = Buffer.from(MOVES[move]!(bodyOf(run, turns, limits)));
    const checked = await engine.checkRequest({ ...request, body });
    expect(checked.body).toBe(body);
    expect("soft" in checked.record.verdict ? checked.record.verdict.soft : undefined).toEqual(soft);
  }
  await engine.close();
});
