import { afterAll, beforeAll, expect, test } from "vitest";
import { asObjects, type JsonObject } from "../json-value.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../simulated-provider.ts";

let provider: SimulatedProvider;
beforeAll(async () => {
  provider = await startSimulatedProvider();
});
afterAll(() => provider.close());

const user = (content: string): JsonObject => ({ role: "user", content });

async function send(
  body: JsonObject,
): Promise<{ status: number; rule: string | null; json: JsonObject; output: readonly JsonObject[] }> {
  const whole = JSON.stringify({ model: "gpt-5.5", ...body });
  const response = await fetch(`${provider.url}/v1/responses`, { method: "POST", body: whole });
  const json = (await response.json()) as JsonObject;
  return { status: response.status, rule: provider.requests.at(-1)!.rejectedBy, json, output: asObjects(json.output) };
}

/** The answer to one question: reasoning and a call. */
async function reasonAndCall(
  body: JsonObject,
): Promise<{ id: unknown; reasoning: JsonObject; call: JsonObject; result: JsonObject }> {
  provider.script({ thinking: "Look.", toolCalls: [{ name: "read" }] });
  const { json, output } = await send(body);
  const result = { type: "function_call_output", call_id: output[1]!.call_id, output: "ok" };
  return { id: json.id, reasoning: output[0]!, call: output[1]!, result };
}

test("R-PAIR-2 a chained output answers the call in the held history, an unchained one does not", async () => {
  const { id, result } = await reasonAndCall({ input: [user("go")] });
  expect(await send({ input: [result] })).toMatchObject({ status: 400, rule: "R-PAIR-2" });
  expect(await send({ input: [user("no")], previous_response_id: id })).toMatchObject({
    status: 400,
    rule: "R-PAIR-1",
  });
  const next = await send({ input: [result], previous_response_id: id });
  expect(next.output).toMatchObject([{ content: [{ text: "The tool said: ok" }] }]);
  expect(await send({ input: [user("on")], previous_response_id: next.json.id })).toMatchObject({ status: 200 });
});

test("R-DUP-6 history sent again beside its anchor is a duplicate", async () => {
  const { id, reasoning, call, result } = await reasonAndCall({ input: [user("go")] });
  const input = [user("go"), reasoning, call, result];
  expect(await send({ input, previous_response_id: id })).toMatchObject({ status: 400, rule: "R-DUP-6" });
});

test("R-REAS-5 a call that keeps its id needs its reasoning, one without an id does not", async () => {
  const { reasoning, call, result } = await reasonAndCall({ input: [user("go")] });
  expect(await send({ input: [user("go"), call, result] })).toMatchObject({ status: 400, rule: "R-REAS-5" });
  expect(await send({ input: [user("go"), reasoning, call, result] })).toMatchObject({ status: 200 });
  const { id: _, ...fresh } = call;
  expect(await send({ input: [user("go"), fresh, result] })).toMatchObject({ status: 200 });
});

test("R-STORE-12 only stored responses and items can be named", async () => {
  const kept = await reasonAndCall({ input: [user("go")] });
  const reference = { type: "item_reference", id: kept.reasoning.id };
  expect(await send({ input: [user("go"), reference, kept.call, kept.result] })).toMatchObject({ status: 200 });
  const gone = await reasonAndCall({ input: [user("go")], store: false });
  expect(await send({ input: [gone.result], previous_response_id: gone.id })).toMatchObject({ rule: "R-STORE-12" });
  const lost = { type: "item_reference", id: gone.reasoning.id };
  expect(await send({ input: [user("go"), lost, gone.call, gone.result] })).toMatchObject({ rule: "R-STORE-12" });
});

test("R-STORE-12 a conversation grows with every response", async () => {
  const { result } = await reasonAndCall({ input: [user("go")], conversation: "conv_1" });
  expect(await send({ input: [user("no")], conversation: { id: "conv_1" } })).toMatchObject({ rule: "R-PAIR-1" });
  expect(await send({ input: [result], conversation: { id: "conv_1" } })).toMatchObject({ status: 200 });
});

test("R-ENC-10 reasoning sealed by another endpoint does not open here", async () => {
  const reasoning = { type: "reasoning", id: "rs_far", summary: [], encrypted_content: "far" };
  const said = { type: "message", id: "msg_far", role: "assistant", content: "x" };
  const request = { model: "gpt-5.5", input: [user("go")] };
  provider.remember({
    api: "openai-responses",
    backend: "azure",
    request,
    response: { id: "r", output: [reasoning, said] },
  });
  expect(await send({ input: [user("go"), reasoning, said, user("on")] })).toMatchObject({ rule: "R-ENC-10" });
  expect(await send({ input: [user("go"), said, user("on")] })).toMatchObject({ status: 200 });
});

test("R-DROP-15 newer models drop reasoning whose prefix changed, and only say so", async () => {
  for (const [model, dropped] of [
    ["gpt-5.6", 1],
    ["gpt-5.5", 0],
  ] as const) {
    const { reasoning, call, result } = await reasonAndCall({ model, input: [user("go")] });
    const input = [user("go"), reasoning, call, result];
    expect((await send({ model, input })).json.input_transformations).toBeUndefined();
    const changed = await send({ model, input: [user("went"), ...input.slice(1)] });
    expect(asObjects(changed.json.input_transformations)).toHaveLength(dropped);
    if (dropped > 0)
      expect(changed.json.input_transformations).toMatchObject([{ id: reasoning.id, reason: "prefix_mismatch" }]);
  }
});

test("diagnostics compare with the response that the client names", async () => {
  const body = { model: "gpt-5.6", input: [user("go")], instructions: "i" };
  const { json } = await send(body);
  const ask = async (more: JsonObject, comparison_response_id = json.id) => {
    return (await send({ ...body, ...more, prompt_cache_options: { comparison_response_id } })).json
      .prompt_cache_diagnostics;
  };
  expect(await ask({ input: [user("go"), user("on")] })).toEqual({ type: "cache_hit" });
  expect(await ask({}, "resp_unknown")).toEqual({ type: "comparison_response_not_found" });
  const changes: readonly [JsonObject, string][] = [
    [{ model: "gpt-5.7" }, "model_changed"],
    [{ prompt_cache_key: "k" }, "prompt_cache_key_changed"],
    [{ tools: [{ type: "function", name: "a" }] }, "tools_changed"],
    [{ reasoning: { effort: "high" } }, "reasoning_effort_changed"],
    [{ text: { verbosity: "low" } }, "verbosity_changed"],
    [{ instructions: "j" }, "input_changed"],
    [{ input: [user("went")] }, "input_changed"],
  ];
  for (const [change, reason] of changes) expect(await ask(change)).toMatchObject({ type: "cache_miss", reason });
});
