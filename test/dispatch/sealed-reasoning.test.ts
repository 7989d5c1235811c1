/** Faults of sealed reasoning items that only earlier exchanges show. */
import { expect, test } from "vitest";
import { judgeBody } from "../../src/engine/judge-body.ts";

const said = (text: string) => ({ role: "user", content: text });
const reasoning = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: `sealed-${id}` });
const called = (id: string) => ({ type: "function_call", id: `fc_${id}`, call_id: id, name: "read", arguments: "{}" });
const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "eleven jars" });
const request = (...input: object[]) => ({ model: "gpt-5.5", input, store: false });

const answer = [reasoning("rs_1"), called("a")];
const first = request(said("count"));

function judged(body: object, backend = "openai", answeredBy = "openai") {
  const response = { id: "resp_1", object: "response", status: "completed", output: answer };
  const received = [{ api: "openai-responses", backend: answeredBy, request: first, response }];
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), {
    api: "openai-responses",
    backend: backend as "openai",
    received,
  });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const { verdict, repaired } = judgement;
  return {
    rules: verdict.kind === "unsafe" ? [...new Set(verdict.hard.map(({ rule }) => rule))] : [],
    input: repaired === null ? null : (JSON.parse(Buffer.from(repaired).toString()).input as Record<string, unknown>[]),
  };
}

test("R-ENC-10 DG-28 reasoning that another endpoint sealed goes, and what it led to goes on without its id", () => {
  const body = request(said("count"), ...answer, output("a"), said("and?"));
  expect(judged(body).rules).toEqual([]);
  const switched = judged(body, "openai", "azure");
  expect(switched.rules).toEqual(["R-ENC-10"]);
  expect(switched.input?.map((item) => item.type ?? item.role)).toEqual([
    "user",
    "function_call",
    "function_call_output",
    "user",
  ]);
  expect(switched.input?.[1]).not.toHaveProperty("id");
});

test("R-REAS-5 a call with its own id whose reasoning was filtered away goes on as a fresh one", () => {
  const kept = judged(request(said("count"), called("a"), output("a")));
  expect(kept.rules).toEqual(["R-REAS-5"]);
  expect(kept.input?.[1]).not.toHaveProperty("id");
  expect(kept.input?.[1]).toMatchObject({ call_id: "a" });
  const { id: _, ...fresh } = called("a");
  expect(judged(request(said("count"), fresh, output("a"))).rules).toEqual([]);
});
