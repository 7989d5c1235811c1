/** The comparison of what was prepared with what is sent is a predictor: without it, everything but its labels is the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, ObservedRequest } from "../../src/engine/engine.ts";
import { openMemoryStore } from "../../src/store/memory/open-store.ts";
import { createProviderContext, validateAnthropic } from "../../src/testing/index.ts";
import { readAnthropicRequest } from "../../src/wire/anthropic-messages/request.ts";
import { assistant, type BodyRow, request, user } from "../dispatch/anthropic-body.ts";
import { damage, legalHistory } from "../dispatch/anthropic-history.ts";

const upstream = { name: "anthropic", url: "http://127.0.0.1:1", backend: "anthropic" } as const;

type Prepared = NonNullable<ObservedRequest["prepared"]>;

async function open(): Promise<Engine> {
  return await createEngine({ store: openMemoryStore(), hashKey: Buffer.alloc(32, 7) });
}

/** One turn against the strict provider, and all that the turn's agent and provider can notice. */
async function play(engine: Engine, messages: readonly BodyRow[], prepared: Prepared | null) {
  const checked = await engine.checkRequest({
    ...{ upstream, mode: "guard", method: "POST", path: "/v1/messages", headers: { "x-api-key": "one" } },
    body: Buffer.from(JSON.stringify(request(messages))),
    ...(prepared && { prepared }),
  });
  const body = Buffer.from(checked.body).toString();
  const answer = validateAnthropic(JSON.parse(body), createProviderContext({}));
  const reply = "body" in answer ? answer.body : { type: "message", content: [{ type: "text", text: "ok" }] };
  engine.observeResponse(checked, {
    ...{ status: answer.status, headers: { "content-type": "application/json" }, complete: true },
    body: Buffer.from(JSON.stringify(reply)),
  });
  const { outcome, edits, verdict } = checked.record;
  return { body, outcome, edits, hard: verdict.kind === "unsafe" ? verdict.hard : [] };
}

test("DG-2 DG-42 without the predictor of soft classes every turn is judged, repaired and sent alike", async () => {
  let labelled = 0;
  await fc.assert(
    fc.asyncProperty(legalHistory, damage, legalHistory, async ({ messages }, harm, { messages: meant }) => {
      const [compared, plain] = [await open(), await open()];
      const { rows } = readAnthropicRequest(request(meant) as never);
      const prepared: Prepared = { host: "pi", form: "host", rows, edits: [], operation: null };
      const broken = harm(messages);
      for (const history of [broken, [...broken, assistant("ok"), user("next")], messages]) {
        expect(await play(compared, history, prepared)).toEqual(await play(plain, history, null));
      }
      if (compared.counters().some(({ name }) => name === "divergence_shape")) labelled += 1;
    }),
    { numRuns: Number(process.env.HOLDFAST_TEST_RUNS ?? 300) },
  );
  expect(labelled).toBeGreaterThan(50);
});
