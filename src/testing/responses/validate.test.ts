import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { createProviderContext } from "../provider-context.ts";
import type { SimulatedProviderOptions } from "../provider-options.ts";
import { validateResponses } from "./validate.ts";

type Item = JsonObject;
const user: Item = { role: "user", content: [{ type: "input_text", text: "u" }] };
const said: Item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] };
const call = (call_id: string, more: JsonObject = {}): Item => ({
  type: "function_call",
  call_id,
  name: "read",
  arguments: "{}",
  ...more,
});
const output = (call_id: string): Item => ({ type: "function_call_output", call_id, output: "r" });
const reasoning = (more: JsonObject = {}): Item => ({
  type: "reasoning",
  summary: [],
  encrypted_content: "opaque",
  ...more,
});

interface Extra {
  readonly body?: JsonObject;
  readonly options?: SimulatedProviderOptions;
  readonly says?: string;
}
type Case = readonly [title: string, rule: string | null, input: readonly Item[], extra?: Extra];

function check([, rule, input, extra = {}]: Case): void {
  const verdict = validateResponses({ model: "gpt-5.5", input, ...extra.body }, createProviderContext(extra.options));
  expect("rule" in verdict ? verdict.rule : null).toBe(rule);
  if ("rule" in verdict) expect(JSON.stringify(verdict.body)).toContain(JSON.stringify(extra.says ?? "").slice(1, -1));
}

function suite(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    for (const one of cases) test(`${one[1] ?? "200:"} ${one[0]}`, () => check(one));
  });
}

const long = "c".repeat(65);
const zdr: SimulatedProviderOptions = { zeroDataRetention: true };
const custom = (type: string): Item => ({ type, call_id: "a", name: "patch", input: "", output: "" });

suite("items", [
  [
    "a call without its output",
    "R-PAIR-1",
    [user, call("a"), user],
    { says: "No tool output found for function call a." },
  ],
  [
    "a custom call without its output",
    "R-PAIR-1",
    [user, custom("custom_tool_call")],
    { says: "for custom tool call a." },
  ],
  [
    "a custom call with its output is fine",
    null,
    [user, custom("custom_tool_call"), custom("custom_tool_call_output")],
  ],
  [
    "an output without its call",
    "R-PAIR-2",
    [user, output("a")],
    { says: "No tool call found for function call output with call_id a." },
  ],
  ["two outputs for one call", "R-DUPOUT-3", [user, call("a"), output("a"), output("a")]],
  ["three outputs for two calls", "R-DUPOUT-3", [user, call("a"), call("a"), output("a"), output("a"), output("a")]],
  ["an output for each of two calls of one id is fine", null, [user, call("a"), call("a"), output("a"), output("a")]],
  ["a message between call and output is fine", null, [user, call("a"), said, output("a")]],
  [
    "an item id that occurs twice",
    "R-DUP-6",
    [user, { ...said, id: "msg_1" }, user, { ...said, id: "msg_1" }],
    { says: "Duplicate item found with id msg_1." },
  ],
  ["a call id that is too long", "R-LEN-7", [user, call(long), output(long)], { says: "string_above_max_length" }],
  ["an item id with another prefix", "R-ID-8", [user, { ...said, id: "item_1" }], { says: "begins with 'msg'" }],
  ["an item id with other characters", "R-ID-8", [user, call("a", { id: "fc|1" }), output("a")]],
  ["a call whose name holds a NUL", "R-NAME-9", [user, call("a", { name: "read\0" }), output("a")]],
  ["a dotted tool name", "R-NAME-9", [user], { body: { tools: [{ type: "function", name: "mail.flag" }] } }],
  [
    "control tokens of the chat format",
    "R-TOK-14",
    [{ role: "user", content: "x<|channel|>y" }],
    { says: "invalid_prompt" },
  ],
  [
    "tools and effort appended to the input are fine",
    null,
    [user, { type: "additional_tools", tools: [] }, { type: "configuration_update" }],
  ],
]);

suite("reasoning", [
  [
    "nothing of the answer behind it",
    "R-REAS-4",
    [user, reasoning({ id: "rs_1" }), user],
    { says: "'rs_1' of type 'reasoning'" },
  ],
  ["at the end", "R-REAS-4", [user, reasoning({ id: "rs_1" }), reasoning()]],
  ["at the end without an id", null, [user, reasoning()]],
  ["in front of a call is fine", null, [user, reasoning(), call("a"), output("a")]],
  [
    "text of another server",
    "R-RCONT-11",
    [user, reasoning({ content: [{ type: "reasoning_text", text: "x" }] }), said],
    { says: "array_above_max_length" },
  ],
  [
    "a blank seal",
    "R-ENC-10",
    [user, reasoning({ encrypted_content: "" }), said],
    { says: "invalid_encrypted_content" },
  ],
  [
    "a seal that was never issued, strictly",
    "R-ENC-10",
    [user, reasoning(), said],
    { options: { strictSignatures: true } },
  ],
  [
    "only a name, and nothing stored",
    "R-STORE-12",
    [user, reasoning({ id: "rs_1", encrypted_content: null }), said],
    { body: { store: false }, says: "Item with id 'rs_1' not found. Items are not persisted when" },
  ],
]);

suite("what the server holds", [
  [
    "an unknown response",
    "R-STORE-12",
    [user],
    { body: { previous_response_id: "resp_1" }, says: "previous_response_not_found" },
  ],
  [
    "an unknown response that may exist",
    null,
    [output("a")],
    { body: { previous_response_id: "resp_1" }, options: { unknownAnchors: "accept" } },
  ],
  ["two anchors", "R-STORE-12", [user], { body: { previous_response_id: "resp_1", conversation: "conv_1" } }],
  [
    "an anchor without retention",
    "R-STORE-12",
    [user],
    { body: { previous_response_id: "resp_1" }, options: zdr, says: "Zero Data Retention" },
  ],
  ["an item that is not held", "R-STORE-12", [user, { type: "item_reference", id: "msg_1" }]],
  [
    "an item without retention",
    "R-STORE-12",
    [{ type: "item_reference", id: "msg_1" }, user],
    { options: zdr, says: "not persisted for Zero Data Retention" },
  ],
]);

const codex: SimulatedProviderOptions = { backend: "codex" };
const sound = { instructions: "i", store: false };
suite("codex", [
  [
    "no instructions",
    "X-INSTR-1",
    [user],
    { options: codex, body: { store: false }, says: "Instructions are required" },
  ],
  ["a system row", "X-SYS-2", [{ role: "system", content: "s" }, user], { options: codex, body: sound }],
  ["store left on", "X-STORE-3", [user], { options: codex, body: { instructions: "i" } }],
  [
    "an option it does not know",
    "X-PARAM-4",
    [user],
    { options: codex, body: { ...sound, temperature: 0 }, says: "temperature" },
  ],
  ["an anchor", "X-PREV-5", [user], { options: codex, body: { ...sound, previous_response_id: "resp_1" } }],
  ["OpenAI's rules as well", "R-PAIR-2", [output("a")], { options: codex, body: sound }],
  ["a sound request is fine", null, [user, call("a"), output("a")], { options: codex, body: sound }],
  [
    "instructions in a developer row in front are fine",
    null,
    [{ role: "developer", content: "i" }, user],
    { options: codex, body: { store: false } },
  ],
]);
