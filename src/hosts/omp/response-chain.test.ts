import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/request.ts";
import type { AgentMessage } from "../agent-api.ts";
import { ResponseChain } from "./response-chain.ts";

const ask = { role: "user", content: "Look" };
const call = { type: "function_call", call_id: "call_1", name: "bash", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "found" };
const opening = { model: "gpt-5.5", store: true, input: [ask] };
const delta = { model: "gpt-5.5", store: true, input: [output], previous_response_id: "resp_1" };

function answer(responseId: string | undefined, items: readonly object[] | undefined) {
  return { role: "assistant", ...(responseId && { responseId }), ...(items && { providerPayload: { items } }) };
}

test("HO-2 a delta is put behind everything that its provider holds", () => {
  const chain = new ResponseChain();
  expect(chain.wholeOf(opening)).toBe(opening);
  chain.sent(opening);
  chain.answered(answer("resp_1", [call]));
  const whole = { model: "gpt-5.5", store: true, input: [ask, call, output] };
  expect(chain.wholeOf(delta)).toEqual(whole);
  chain.sent(whole);
  chain.answered(answer("resp_2", []));
  const next = { input: [ask], previous_response_id: "resp_2" };
  expect(chain.wholeOf(next)).toEqual({ input: [ask, call, output, ask] });
});

test("HO-2 a repaired request is what the next delta goes on from", () => {
  const chain = new ResponseChain();
  chain.sent({ input: [ask, call, { ...output, output: "made up" }] });
  chain.answered(answer("resp_1", []));
  expect(chain.wholeOf({ input: [], previous_response_id: "resp_1" })).toEqual({
    input: [ask, call, { ...output, output: "made up" }],
  });
});

type Step = { readonly sent: JsonObject | null } | { readonly answered: AgentMessage };

test.each<[name: string, steps: readonly Step[]]>([
  ["another answer came in between", [{ answered: answer("resp_2", []) }]],
  ["an answer failed", [{ sent: opening }, { answered: answer(undefined, undefined) }]],
  ["two requests are on their way", [{ sent: opening }, { sent: opening }, { answered: answer("resp_1", []) }]],
  ["a request went out that nobody read", [{ sent: null }, { answered: answer("resp_1", []) }]],
  ["an answer brings no items", [{ sent: opening }, { answered: answer("resp_1", undefined) }]],
])("HO-2 nothing is said of a chain that is not known: %s", (_name, steps) => {
  const chain = new ResponseChain();
  for (const step of [{ sent: opening }, { answered: answer("resp_1", [call]) }, ...steps]) {
    if ("sent" in step) chain.sent(step.sent);
    else chain.answered(step.answered);
  }
  expect(chain.wholeOf(delta)).toBeNull();
});
