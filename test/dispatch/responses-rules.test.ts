/** One minimal illegal body and its legal look-alikes for every rule of Responses and of the Codex back end. */
import { expect, test } from "vitest";
import { codexRules } from "../../src/dispatch/rules/codex.ts";
import { responsesRules } from "../../src/dispatch/rules/openai-responses.ts";
import { judgeBody } from "../../src/engine/judge-body.ts";
import type { Api, Backend } from "../../src/wire/api.ts";
import { call, developer, output, reasoning, request, said, user } from "./responses-body.ts";

interface RuleCase {
  readonly rule: string;
  readonly api?: Api;
  readonly backend?: Backend;
  readonly illegal: object;
  /** Words that the repaired body must still hold; null where no faithful repair exists. */
  readonly keeps: readonly string[] | null;
  readonly legal: readonly object[];
}

const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
const unknown = { type: "from_the_future", id: "ftf_1" };
const long = `call_${"x".repeat(40)}|fc_${"y".repeat(40)}`;
const codex = { api: "openai-codex-responses", backend: "codex" } as const;

/** Rules that a test here has tried. */
const checked = new Set<string>();

test("R-PAIR-1 a call without an output anywhere", () =>
  check({
    rule: "R-PAIR-1",
    illegal: request([user("go"), call("a"), call("b"), output("b", "nine"), user("stop, please")]),
    keeps: ["nine", "stop, please", "No result"],
    legal: [
      request([user("go"), call("a"), said("I am reading."), user("quick!"), output("a"), user("so?")]),
      request([user("go"), call("a"), output("a"), call("a"), output("a")]),
      request([user("go"), output("a"), call("a"), user("so?")]),
      request([call("a")], { previous_response_id: "resp_1" }),
      request([call("a"), user("so?")], { conversation: { id: "conv_1" } }),
      request([{ type: "item_reference", id: "msg_1" }, call("a"), user("so?")]),
      request([user("go"), call("a"), unknown, user("so?")]),
      request([user("go"), call("a"), { type: "from_the_future_output", call_id: "a" }, user("so?")]),
    ],
  }));

test("R-PAIR-1 Azure and Codex name the missing output too", () =>
  check({
    rule: "R-PAIR-1",
    api: "azure-openai-responses",
    backend: "azure",
    illegal: request([user("go"), call("a")]),
    keeps: ["go", "No result"],
    legal: [request([user("go"), { type: "local_shell_call", call_id: "s", action: {} }, output("s", "three")])],
  }));

test("R-PAIR-2 an output without a call", () =>
  check({
    rule: "R-PAIR-2",
    illegal: request([user("go"), output("a", [{ type: "input_text", text: "12 jars" }, picture]), user("and?")]),
    keeps: ["12 jars", "data:image/png;base64,AAAA", "and?"],
    legal: [
      request([output("a")], { previous_response_id: "resp_1" }),
      request([{ type: "item_reference", id: "fc_1" }, output("a")]),
      request([user("go"), unknown, user("quick!"), output("a")]),
      request([user("go"), { type: "custom_tool_call", call_id: "a", name: "x", input: "y" }, output("a")]),
    ],
  }));

test("R-DUPOUT-3 two outputs for one call", () =>
  check({
    rule: "R-DUPOUT-3",
    illegal: request([user("go"), call("a"), output("a", "41 tiles"), output("a", "41 tiles"), output("a", "none")]),
    keeps: ["41 tiles", "none"],
    legal: [request([user("go"), call("a"), call("a"), output("a", "1"), output("a", "2")])],
  }));

test("R-REAS-4 reasoning whose follower is gone", () =>
  check({
    rule: "R-REAS-4",
    illegal: request([user("go"), reasoning("rs_1"), reasoning("rs_2"), user("well?"), reasoning("rs_3")]),
    keeps: ["go", "well?"],
    legal: [
      request([user("go"), reasoning("rs_1"), reasoning("rs_2"), call("a"), output("a"), reasoning("rs_3"), said("x")]),
      request([user("go"), reasoning("rs_1"), unknown, user("well?")]),
      request([user("go"), reasoning("rs_1"), { type: "web_search_call", id: "ws_1" }, said("x"), user("well?")]),
      request([reasoning("rs_1"), user("well?")], { previous_response_id: "resp_1" }),
    ],
  }));

test("R-DUP-6 one id on two items", () =>
  check({
    rule: "R-DUP-6",
    illegal: request([
      user("go"),
      said("apples", { id: "msg_1" }),
      user("and?"),
      said("pears", { id: "msg_1" }),
      reasoning("rs_1"),
      reasoning("rs_1"),
      call("a", { id: "fc_1" }),
      output("a"),
    ]),
    keeps: ["apples", "pears", "sealed-rs_1"],
    legal: [
      request([user("go"), said("apples", { id: "msg_1" }), user("and?"), said("pears", { id: "msg_2" })]),
      request([
        user("go"),
        { type: "local_shell_call", id: "lsh_1", call_id: "a", action: {} },
        { type: "local_shell_call_output", id: "lsh_1", output: "three" },
      ]),
    ],
  }));

test("R-DUP-6 two references to one item", () =>
  check({
    rule: "R-DUP-6",
    illegal: request([{ type: "item_reference", id: "rs_1" }, { type: "item_reference", id: "rs_1" }, user("so?")]),
    keeps: ["rs_1", "so?"],
    legal: [request([{ type: "item_reference", id: "rs_1" }, { type: "item_reference", id: "fc_1" }, user("so?")])],
  }));

test("R-LEN-7 a call_id of more than 64 characters", () =>
  check({
    rule: "R-LEN-7",
    illegal: request([user("go"), call(long), output(long, "plums"), call(`${long}z`), output(`${long}z`, "figs")]),
    keeps: ["plums", "figs"],
    legal: [request([user("go"), call("x".repeat(64)), output("x".repeat(64)), call("a|fc_1"), output("a|fc_1")])],
  }));

test("R-ID-8 item ids of another server", () =>
  check({
    rule: "R-ID-8",
    illegal: request([
      user("go"),
      reasoning("item_1"),
      call("a", { id: "call_1" }),
      output("a", "six"),
      said("ok", { id: "msg_a.b" }),
      said("done", { id: "gen-1" }),
    ]),
    keeps: ["six", "ok", "done", "sealed-item_1"],
    legal: [
      request([user("go"), reasoning("rs_1"), call("a", { id: "fc_1" }), output("a"), said("ok", { id: "msg_pi_3" })]),
      request([user("go"), { type: "web_search_call", id: "ws.1" }, said("ok", { id: null })]),
    ],
  }));

test("R-NAME-9 a call name with characters that no name has", () =>
  check({
    rule: "R-NAME-9",
    illegal: request([user("go"), call("a", { name: "apply\0\0" }), output("a", "patched")], {
      tools: [
        { type: "function", name: "apply_patch" },
        { type: "function", name: "read" },
      ],
    }),
    keeps: ["patched", '"name":"apply_patch","arguments"'],
    legal: [request([user("go"), call("a", { name: "mcp__mail__flag-2" }), output("a")])],
  }));

test("R-RCONT-11 reasoning with its text in the open", () =>
  check({
    rule: "R-RCONT-11",
    illegal: request([
      user("go"),
      reasoning("rs_1", { content: [{ type: "reasoning_text", text: "hm" }] }),
      said("plums"),
      user("so?"),
    ]),
    keeps: ["plums", "so?"],
    legal: [
      request([user("go"), reasoning("rs_1", { content: [] }), said("plums")]),
      request([user("go"), reasoning("rs_1", { content: null }), said("plums")]),
    ],
  }));

test("R-PART-16 text of the assistant that is said to be the user's", () => {
  const row = (type: string) => ({ type: "message", role: "assistant", content: [{ type, text: "plums" }] });
  check({
    rule: "R-PART-16",
    illegal: request([user("go"), row("input_text"), user("so?")]),
    keeps: ["plums", "so?", "output_text"],
    legal: [request([user("go"), row("output_text"), user("so?")])],
  });
});

test("R-STORE-12 two histories held by the server at once", () =>
  check({
    rule: "R-STORE-12",
    illegal: request([user("go")], { previous_response_id: "resp_1", conversation: "conv_1" }),
    keeps: null,
    legal: [request([user("go")], { previous_response_id: "resp_1", conversation: null })],
  }));

test("R-STORE-12 reasoning named by its id where nothing is stored", () =>
  check({
    rule: "R-STORE-12",
    illegal: request([
      user("go"),
      { type: "reasoning", id: "rs_1", summary: [] },
      call("a", { id: "fc_1" }),
      output("a", "six"),
    ]),
    keeps: ["six"],
    legal: [
      request([user("go"), { type: "reasoning", id: "rs_1", summary: [] }, said("x")], { store: true }),
      request([user("go"), { type: "reasoning", id: "rs_1", summary: [] }, said("x")], { store: undefined }),
      request([user("go"), reasoning("rs_1"), said("x")]),
    ],
  }));

test("R-TOK-14 control tokens in the input", () =>
  check({
    rule: "R-TOK-14",
    illegal: request([user("what is <|channel|>?"), call("a"), output("a", "<|start|>oats<|end|>")]),
    keeps: ["what is", "channel", "oats"],
    legal: [request([user("what is <|endoftext|> or <|im_start|> or <channel>?"), developer("a|b")])],
  }));

test("X-INSTR-1 no instructions", () =>
  check({
    rule: "X-INSTR-1",
    ...codex,
    illegal: request([user("go")], { instructions: " " }),
    keeps: null,
    legal: [
      request([user("go")]),
      request([developer("be brief"), user("go")], { instructions: undefined }),
      request([user("on")], { instructions: undefined, previous_response_id: "resp_1" }),
    ],
  }));

test("X-SYS-2 a system row inside the input", () =>
  check({
    rule: "X-SYS-2",
    ...codex,
    illegal: request([{ role: "system", content: "the desk is read-only" }, user("go")]),
    keeps: ["the desk is read-only", "developer"],
    legal: [request([developer("the desk is read-only"), user("go")])],
  }));

test("X-STORE-3 store is not switched off", () =>
  check({
    rule: "X-STORE-3",
    ...codex,
    illegal: request([user("go")], { store: undefined }),
    keeps: ["go"],
    legal: [request([user("go")])],
  }));

test("X-PARAM-4 options that the back end does not know", () =>
  check({
    rule: "X-PARAM-4",
    ...codex,
    illegal: request([user("go")], { temperature: 0.2, max_output_tokens: 9, top_p: 1 }),
    keeps: ["go"],
    legal: [request([user("go")], { temperature: null, parallel_tool_calls: true, reasoning: { effort: "low" } })],
  }));

function check({ rule, api, backend, illegal, keeps, legal }: RuleCase): void {
  checked.add(rule);
  const { rules, repaired } = judged(illegal, api, backend);
  expect(rules).toEqual([rule]);
  for (const body of legal) expect(judged(body, api, backend), JSON.stringify(body)).toMatchObject({ rules: [] });
  if (keeps === null) {
    expect(repaired).toBeNull();
    return;
  }
  for (const words of keeps) expect(JSON.stringify(repaired)).toContain(words);
  expect(judged(repaired!, api, backend)).toEqual({ rules: [], repaired: null });
}

function judged(body: object, api: Api = "openai-responses", backend: Backend = "openai") {
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { api, backend });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const hard = judgement.verdict.kind === "unsafe" ? judgement.verdict.hard : [];
  const repaired = judgement.repaired === null ? null : JSON.parse(Buffer.from(judgement.repaired).toString());
  return { rules: [...new Set(hard.map((one) => one.rule))], repaired };
}

interface SoftCase {
  readonly rule: string;
  readonly backend?: Backend;
  readonly body: object;
  readonly soft: { readonly class: string; readonly path: string };
}

test("R-REAS-4 nothing shows what reasoning without an id led to", () =>
  checkSoft({
    rule: "R-REAS-4",
    body: request([user("go"), reasoning(null), user("well?")]),
    soft: { class: "unproven_rule", path: "/input/1" },
  }));

test("R-PAIR-1 a call of a custom tool without an output is only presumed to be refused", () =>
  checkSoft({
    rule: "R-PAIR-1",
    body: request([user("go"), { type: "custom_tool_call", call_id: "a", name: "x", input: "y" }, user("so?")]),
    soft: { class: "unproven_rule", path: "/input/1" },
  }));

test("R-PAIR-2 so is an output of a custom tool without a call", () =>
  checkSoft({
    rule: "R-PAIR-2",
    body: request([user("go"), { type: "custom_tool_call_output", call_id: "a", output: "y" }]),
    soft: { class: "unproven_rule", path: "/input/1" },
  }));

test("R-MID-13 a message between a call and its output is left to the strict copies", () =>
  checkSoft({
    rule: "R-MID-13",
    backend: "vllm",
    body: request([user("go"), call("a"), said("reading"), output("a")]),
    soft: { class: "unproven_rule", path: "/input/3" },
  }));

test("X-PREV-5 Codex does not honour a previous response on a stream", () =>
  checkSoft({
    rule: "X-PREV-5",
    backend: "codex",
    body: request([user("go")], { previous_response_id: "resp_1" }),
    soft: { class: "unproven_rule", path: "/previous_response_id" },
  }));

test("DG-6 an item that nobody knows is counted and takes its stretch out of judgement", () =>
  checkSoft({
    rule: "DG-6",
    body: request([user("go"), call("a"), unknown, user("so?")]),
    soft: { class: "unmodelled", path: "/input/2" },
  }));

test("DG-6 a delta to a history that the server holds is counted", () =>
  checkSoft({
    rule: "DG-6",
    body: request([output("a")], { previous_response_id: "resp_1" }),
    soft: { class: "chained_delta", path: "/previous_response_id" },
  }));

function checkSoft({ rule, backend = "openai", body, soft }: SoftCase): void {
  checked.add(rule);
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { api: "openai-responses", backend });
  expect(judgement).toMatchObject({ verdict: { kind: "admit-unverified" }, repaired: null });
  expect(judgement).toHaveProperty("verdict.soft", expect.arrayContaining([expect.objectContaining(soft)]));
}

test("DG-2 what real hosts send is admitted without a word", () => {
  const bodies = [
    request([
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "read" }] },
      developer("be brief"),
      user("go"),
      { type: "configuration_update", reasoning: { effort: "low" } },
      reasoning("rs_1"),
      call("a"),
      output("a", ""),
    ]),
    request([user("go"), { type: "mcp_list_tools", id: "mcpl_1" }, { type: "mcp_call", id: "mcp_1" }, said("x")]),
    request([{ type: "compaction", id: "cmp_1", encrypted_content: "x" }, user("go")]),
    request([
      user("go"),
      { type: "computer_call", id: "cu_1", call_id: "c", action: {} },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot" } },
    ]),
    request([
      { role: "user", content: "go", type: "message" },
      { role: "assistant", content: "x" },
    ]),
    { model: "gpt-5.5", input: "go" },
  ];
  for (const body of bodies) {
    const judgement = judgeBody(Buffer.from(JSON.stringify(body)), {});
    expect(judgement, JSON.stringify(body)).toMatchObject({ api: "openai-responses", verdict: { kind: "admit" } });
  }
});

/** Found with the earlier exchanges of the session only. */
const STATEFUL = ["R-REAS-5", "R-ENC-10"];

test("DG-7 every rule of the tables has a case here or needs earlier exchanges, so switching one off fails a test", () => {
  const covered = new Set([...checked, ...STATEFUL]);
  expect([...responsesRules, ...codexRules].map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
});

const TEXTS: readonly (readonly [string, string])[] = [
  ["R-PAIR-1", "No tool output found for function call call_X."],
  ["R-PAIR-2", "No tool call found for function call output with call_id call_X."],
  ["R-DUPOUT-3", "Duplicate function_call_output for call_id call_X"],
  ["R-REAS-4", "Item 'rs_1' of type 'reasoning' was provided without its required following item."],
  ["R-REAS-5", "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'."],
  ["R-DUP-6", "Duplicate item found with id msg_1. Remove duplicate items from your input and try again."],
  ["R-LEN-7", "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64"],
  ["R-ID-8", "Invalid 'input[2].id': 'x'. Expected an ID that begins with 'msg'."],
  ["R-NAME-9", "Invalid 'input[646].name': string does not match pattern '^[a-zA-Z0-9_-]+$'"],
  [
    "R-ENC-10",
    "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
  ],
  ["R-RCONT-11", "Invalid 'input[1].content': array too long. (array_above_max_length)"],
  ["R-STORE-12", "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."],
  ["R-STORE-12", "Mutually exclusive parameters: 'conversation' and 'previous_response_id'."],
  ["R-TOK-14", "invalid_prompt"],
  ["R-PART-16", "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."],
  ["X-INSTR-1", '{"detail":"Instructions are required"}'],
  ["X-SYS-2", '{"detail":"System messages are not allowed"}'],
  ["X-STORE-3", '{"detail":"Store must be set to false"}'],
  ["X-PARAM-4", '{"detail":"Unsupported parameter: temperature"}'],
];

test("DG-7 the words of the server explain its rejection", () => {
  for (const [rule, text] of TEXTS) {
    const explaining = [...responsesRules, ...codexRules].filter(({ match }) => match.some((one) => one.test(text)));
    expect([...new Set(explaining.map(({ id }) => id))], text).toEqual([rule]);
  }
});

test("R-LEN-7 an output for a call that the server holds keeps the id that the call has there", () => {
  const body = request([output(long)], { previous_response_id: "resp_1" });
  expect(judged(body)).toEqual({ rules: ["R-LEN-7"], repaired: null });
});

test("R-LEN-7 two long ids never become one", () => {
  const { repaired } = judged(request([call(long), call(`${long}z`), output(`${long}z`), output(long)]));
  const [first, second, ofSecond, ofFirst] = repaired.input.map((item: { call_id: string }) => item.call_id);
  expect(first).not.toBe(second);
  expect([ofFirst, ofSecond]).toEqual([first, second]);
});

test("X-STORE-3 a switch beside the history is not turned before the back end asks for it", () => {
  const judgement = judgeBody(Buffer.from(JSON.stringify(request([user("go")], { store: true }))), codex);
  expect(judgement).toMatchObject({
    outcome: "degraded",
    edits: [],
    allEdits: [{ changes: "option", rule: "X-STORE-3" }],
  });
});
