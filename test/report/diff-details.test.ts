import { expect, test } from "vitest";
import { openSessionRequest } from "../../src/report/diff/session-request.ts";
import { diffBodies } from "./diff-body.ts";
import { NEXT_TURN, SAMPLE_ENCODINGS, SAMPLE_SESSION } from "./sample-session.ts";

type Members = Record<string, unknown>;

const marker = { cache_control: { type: "ephemeral" } };
const user = (content: unknown): Members => ({ role: "user", content });
const said = (text: string, more: Members = {}): Members => ({ type: "text", text, ...more });
const claude = (members: Members): Members => ({ model: "claude-opus-5", max_tokens: 9, ...members });
const gpt = (members: Members): Members => ({ model: "gpt-5.6", store: false, ...members });

type Case = readonly [before: Members, after: Members, expected: Members];

function check(cases: readonly Case[]): void {
  for (const [before, after, expected] of cases) {
    expect(diffBodies(before, after), JSON.stringify(after)).toMatchObject(expected);
  }
}

test("DF-11 markers that move are named only where nothing else moved", () => {
  check([
    [
      claude({ system: [said("a", marker)], messages: [user("b")], tools: [{ name: "t" }] }),
      claude({ system: [said("a")], messages: [user("b")], tools: [{ name: "t", ...marker }] }),
      { cause: "cache_marker_only", path: "/tools/0/cache_control", unit: "/tools/0", prefix_kept: true },
    ],
    [
      claude({ system: [said("a", { cache_control: { type: "ephemeral", ttl: "5m" } })], messages: [user("b")] }),
      claude({ system: [said("a", { cache_control: { type: "ephemeral", ttl: "1h" } })], messages: [user("b")] }),
      { cause: "cache_marker_only", path: "/system/0/cache_control/ttl", unit: "/system/0" },
    ],
    [
      claude({ messages: [user([said("b"), said("c", marker)])] }),
      claude({ messages: [user([said("b"), said("c")])] }),
      { cause: "cache_marker_only", path: "/messages/0/content/1/cache_control", after: null },
    ],
    [
      claude({ messages: [user("b")] }),
      claude({ messages: [user("b")], ...marker }),
      { cause: "cache_marker_only", path: "/cache_control", unit: "/cache_control" },
    ],
    [
      claude({ messages: [user([said("b", marker)])] }),
      claude({ messages: [user([said("b")]), { role: "assistant", content: "c" }, user([said("d", marker)])] }),
      { cause: "append", path: "/messages/1", also: [] },
    ],
    [
      {
        messages: [user([{ text: "a" }])],
        system: [{ text: "s" }, { cachePoint: { type: "default" } }],
        inferenceConfig: {},
      },
      {
        messages: [user([{ text: "a" }, { cachePoint: { type: "default" } }])],
        system: [{ text: "s" }],
        inferenceConfig: {},
      },
      {
        api: "bedrock-converse-stream",
        cause: "cache_marker_only",
        path: "/system/1",
        unit: "/system/1",
        prefix_kept: true,
      },
    ],
    [
      {
        messages: [user([{ text: "a" }, { cachePoint: { type: "default" } }])],
        toolConfig: { tools: [{ toolSpec: { name: "t" } }] },
      },
      {
        messages: [user([{ text: "a" }]), { role: "assistant", content: [{ text: "b" }] }, user([{ text: "c" }])],
        toolConfig: { tools: [{ toolSpec: { name: "t" } }, { cachePoint: { type: "default" } }] },
      },
      { cause: "append", path: "/messages/1", prefix_kept: true },
    ],
    [
      gpt({ input: [user([{ type: "input_text", text: "a" }])] }),
      gpt({ input: [user([{ type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } }])] }),
      { cause: "cache_marker_only", path: "/input/0/content/0/prompt_cache_breakpoint", prefix_kept: true },
    ],
  ]);
});

test("DF-12 a text and a list of one text block are one prompt", () => {
  check([
    [
      claude({ system: "s", messages: [user("b")] }),
      claude({ system: [said("s")], messages: [user("b")] }),
      { cause: "string_vs_blocks", path: "/system", unit: "/system/0", prefix_kept: true },
    ],
    [
      claude({ messages: [user([said("b")]), { role: "assistant", content: "c" }, user("d")] }),
      claude({ messages: [user("b"), { role: "assistant", content: "c" }, user("d")] }),
      { cause: "string_vs_blocks", path: "/messages/0/content", unit: "/messages/0", prefix_kept: true },
    ],
    [
      claude({ messages: [user("b")] }),
      claude({ messages: [user([said("c")])] }),
      { cause: "history_rewritten", path: "/messages/0/content/0/text", prefix_kept: false },
    ],
    [
      claude({ system: [said("s")], messages: [user("b")] }),
      claude({ system: "t", messages: [user("b")] }),
      { cause: "system_text", path: "/system", unit: "/system", prefix_kept: false },
    ],
    // A host that marks a row makes a block of it only while it carries the marker.
    [
      claude({ messages: [user([said("b", marker)])] }),
      claude({ messages: [user("b"), { role: "assistant", content: "c" }, user([said("d", marker)])] }),
      { cause: "append", path: "/messages/1", also: [] },
    ],
    [
      { model: "m", messages: [{ role: "system", content: "s" }, user("b")] },
      { model: "m", messages: [{ role: "system", content: [said("s")] }, user("b")] },
      { api: "openai-completions", cause: "string_vs_blocks", path: "/messages/0/content", unit: "/messages/0" },
    ],
  ]);
});

test("DF-13 a request that brings only the new turn continues what the provider holds", () => {
  check([
    [
      claude({ system: "s", tools: [{ name: "t" }], thread: { type: "create" }, messages: [user("a")] }),
      claude({ thread: { type: "continue", previous_message_id: "msg_1" }, messages: [user("b")] }),
      { cause: "append", path: "/messages/0", unit: "/messages/0", prefix_kept: true },
    ],
    [
      gpt({ instructions: "s", input: [user("a"), user("b")] }),
      gpt({ instructions: "s", input: [user("c")], previous_response_id: "resp_1" }),
      { cause: "append", path: "/input/0", prefix_kept: true },
    ],
    [
      gpt({
        instructions: "s",
        input: [user("c")],
        previous_response_id: "resp_1",
        tools: [{ type: "function", name: "t" }],
      }),
      gpt({
        instructions: "s",
        input: [user("d")],
        previous_response_id: "resp_2",
        tools: [{ type: "function", name: "u" }],
      }),
      { cause: "tool_added", path: "/tools/0/name", prefix_kept: false },
    ],
    // The chain is lost and the whole history comes again.
    [
      gpt({ input: [user("c")], previous_response_id: "resp_1" }),
      gpt({ input: [user("a"), user("b"), user("c"), { role: "assistant", content: "d" }, user("e")] }),
      { cause: "append", path: "/input/3", prefix_kept: true },
    ],
  ]);
});

test("DF-14 what stands outside the cached prefix costs nothing", () => {
  check([
    [
      claude({ messages: [user("a")], tools: [{ name: "t" }] }),
      claude({ messages: [user("a")], tools: [{ name: "t" }, { name: "u", defer_loading: true }] }),
      { cause: "tool_added", path: "/tools/1", prefix_kept: true },
    ],
    [
      claude({ messages: [user("a")], tools: [{ name: "t" }] }),
      claude({ messages: [user("a")], tools: [{ name: "u" }, { name: "t" }] }),
      { cause: "tool_added", path: "/tools/0/name", prefix_kept: false },
    ],
    [
      claude({ messages: [user("a")], system: [said("x-anthropic-billing-header: cch=00aa1;"), said("s")] }),
      claude({ messages: [user("a"), user("b")], system: [said("x-anthropic-billing-header: cch=00bb2;"), said("s")] }),
      { cause: "append", path: "/messages/1", prefix_kept: true },
    ],
    [
      gpt({ model: "gpt-6.2", instructions: "s", input: [user("a")] }),
      gpt({ model: "gpt-6.2", instructions: "t", input: [user("a"), user("b")] }),
      { cause: "system_text", path: "/instructions", prefix_kept: true },
    ],
    [
      gpt({ model: "gpt-6.1", instructions: "s", input: [user("a")] }),
      gpt({ model: "gpt-6.1", instructions: "t", input: [user("a"), user("b")] }),
      { cause: "system_text", path: "/instructions", prefix_kept: false },
    ],
    [
      claude({ messages: [user("a")], diagnostics: { previous_message_id: null } }),
      claude({ messages: [user("a"), user("b")], diagnostics: { previous_message_id: "msg_1" } }),
      { cause: "append", path: "/messages/1", prefix_kept: true },
    ],
    // The last row got a block behind its own.
    [
      claude({ messages: [user([said("a")])] }),
      claude({ messages: [user([said("a"), said("b")]), { role: "assistant", content: "c" }, user("d")] }),
      { cause: "append", path: "/messages/0/content/1", unit: "/messages/0", prefix_kept: true },
    ],
  ]);
});

test("DF-2 tools in the input of newer models are tools", () => {
  check([
    [
      gpt({
        input: [{ type: "additional_tools", role: "developer", tools: [{ name: "a" }, { name: "b" }] }, user("x")],
      }),
      gpt({
        input: [{ type: "additional_tools", role: "developer", tools: [{ name: "b" }, { name: "a" }] }, user("x")],
      }),
      { cause: "tool_order", path: "/input/0/tools/0/name", unit: "/input/0/tools/0", prefix_kept: false },
    ],
  ]);
});

test("DF-6 settings that cost the cache", () => {
  check(
    Object.entries({
      thinking: { type: "enabled", budget_tokens: 9 },
      tool_choice: { type: "any" },
      prompt_cache_key: "k",
      reasoning: { effort: "low" },
      verbosity: "low",
      response_format: { type: "json_object" },
      service_tier: "flex",
    }).map(
      ([name, value]): Case => [
        { model: "m", messages: [user("a")] },
        { model: "m", messages: [user("a"), user("b")], [name]: value },
        { cause: "settings", path: `/${name}`, unit: `/${name}`, prefix_kept: false },
      ],
    ),
  );
});

test("DF-6 a choice that comes to a list of tools is named at its own place", () => {
  const body = (toolConfig: Members): Members => ({
    messages: [user([{ text: "a" }])],
    system: [{ text: "s" }],
    toolConfig: { tools: [{ toolSpec: { name: "t", inputSchema: { json: {} } } }], ...toolConfig },
  });
  const place = { cause: "settings", path: "/toolConfig/toolChoice", unit: "/toolConfig", prefix_kept: false };
  check([
    [body({}), body({ toolChoice: { any: {} } }), place],
    [body({ toolChoice: { any: {} } }), body({}), place],
  ]);
});

test("DF-6 settings that cost nothing", () => {
  check(
    Object.entries({
      temperature: 1,
      top_p: 1,
      max_completion_tokens: 3,
      metadata: { text: "thinking" },
      stop: ["x"],
      seed: 4,
      stream: true,
      user: "u",
    }).map(
      ([name, value]): Case => [
        { model: "m", messages: [user("a")] },
        { model: "m", messages: [user("a")], [name]: value },
        { cause: "settings", path: `/${name}`, unit: `/${name}`, prefix_kept: true },
      ],
    ),
  );
});

test("DF-4 a clock in what a host wrote is a clock, in a result it is content", () => {
  check([
    [
      { model: "m", messages: [user("<env>2026-03-14</env> Hello"), { role: "assistant", content: "x" }] },
      { model: "m", messages: [user("<env>2026-03-15</env> Hello"), { role: "assistant", content: "x" }] },
      { cause: "clock", path: "/messages/0/content", prefix_kept: false },
    ],
    [
      { model: "m", messages: [user("a"), { role: "tool", tool_call_id: "c1", content: "at 09:26" }, user("b")] },
      { model: "m", messages: [user("a"), { role: "tool", tool_call_id: "c1", content: "at 09:27" }, user("b")] },
      { cause: "history_rewritten", path: "/messages/1/content", volatile: "clock" },
    ],
    [
      claude({ messages: [user("a")], tools: [{ name: "t", description: "As of 2026-03-14." }] }),
      claude({ messages: [user("a")], tools: [{ name: "t", description: "As of 2026-03-15." }] }),
      { cause: "clock", path: "/tools/0/description", prefix_kept: false },
    ],
  ]);
});

test("DF-3 an order of members that a parser hides is an order", () => {
  const body = (schema: string) =>
    `{"model":"m","max_tokens":9,"tools":[{"name":"t","input_schema":${schema}}],"messages":[]}`;
  const record = diffBodies(body('{"b":1,"10":2}'), body('{"10":2,"b":1}'));
  expect(record).toMatchObject({ cause: "schema_key_order", path: "/tools/0/input_schema", prefix_kept: false });
});

test("DF-2 tools that were added on the way are history", () => {
  const added = { type: "additional_tools", role: "developer", tools: [{ name: "b" }] };
  const input = [{ ...added, tools: [{ name: "a" }] }, user("x")];
  check([
    [
      gpt({ input }),
      gpt({ input: [...input, added, user("y")] }),
      { cause: "append", path: "/input/2", prefix_kept: true },
    ],
  ]);
});

test("DF-5 system rows that come or go are told from a row in the place of dropped ones", () => {
  const chat = (...rows: Members[]): Members => ({ model: "m", messages: rows });
  const system = (content: string): Members => ({ role: "system", content });
  const turns = ["a", "b", "c", "d"].map(user);
  check([
    [
      chat(system("s"), ...turns),
      chat(system("s"), system("t"), ...turns),
      { cause: "system_text", path: "/messages/1/role" },
    ],
    [
      chat(system("s"), ...turns),
      chat(...turns),
      { cause: "system_text", path: "/messages/0/role", prefix_kept: false },
    ],
    [chat(system("s"), ...turns), chat(system("s"), system("(cut)"), ...turns.slice(2)), { cause: "history_dropped" }],
    [
      chat(system("s"), ...turns),
      chat(system("t"), system("(cut)"), ...turns),
      { cause: "system_text", path: "/messages/0/content" },
    ],
  ]);
});

test("DF-3 the order of members counts in the arguments of a call", () => {
  check([
    [
      claude({
        messages: [
          user("a"),
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "n", input: { a: 1, b: 2 } }] },
        ],
      }),
      claude({
        messages: [
          user("a"),
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "n", input: { b: 2, a: 1 } }] },
        ],
      }),
      { cause: "history_rewritten", path: "/messages/1/content/0/input", unit: "/messages/1", prefix_kept: false },
    ],
    [
      claude({ messages: [{ role: "user", content: "a" }] }),
      claude({ messages: [{ content: "a", role: "user" }] }),
      { cause: "spelling_only", path: "/messages/0", prefix_kept: true },
    ],
  ]);
});

test("DF-7 a model in the URL is a model", () => {
  const body = SAMPLE_ENCODINGS["google-generative-ai"].encode(SAMPLE_SESSION);
  const url = (model: string) => ({
    url: `https://google.example/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  });
  expect(diffBodies(body, body, url("gemini-a"), url("gemini-b"))).toMatchObject({
    cause: "model",
    before: "gemini-a",
    after: "gemini-b",
  });
  expect(diffBodies(body, body, url("gemini-a"), url("gemini-a"))).toMatchObject({ cause: "identical" });
});

test("DF-7 another API has another cache", () => {
  const [before, after] = (["anthropic-messages", "openai-completions"] as const).map((api) =>
    SAMPLE_ENCODINGS[api].encode(SAMPLE_SESSION),
  );
  const record = diffBodies(before, after);
  expect(record).toMatchObject({
    cause: "model",
    prefix_kept: false,
    kept: { bytes: 0 },
    before: "anthropic-messages sample-1",
  });
});

test("DF-22 a moved prefix in front of bound thinking is a 400, and says so", () => {
  const thought = { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "s" }, said("c")] };
  const body = (model: string, system: string, more: Members = {}) =>
    claude({ model, system, messages: [user("a"), thought, user("b")], ...more });
  const hard = (model: string, more: Members = {}) => diffBodies(body(model, "s", more), body(model, "t", more)).hard;
  expect(hard("claude-opus-5-5")).toEqual(["A-PREFIX-19"]);
  expect(hard("claude-opus-4-5")).toEqual([]);
  expect(hard("claude-opus-5-5", { thinking: { block_binding: { prefix_mismatch_behavior: "drop_block" } } })).toEqual(
    [],
  );
  const late = [user("a"), thought, user("b")];
  const changed = claude({ model: "claude-opus-5-5", messages: [user("a"), thought, user("c")] });
  expect(diffBodies(claude({ model: "claude-opus-5-5", messages: late }), changed)).toMatchObject({
    prefix_kept: false,
    hard: [],
  });
});

test("DF-5 a history that a host builds anew after a restart is a rewrite", () => {
  const call = { type: "function_call", call_id: "call_1", name: "n", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "x" };
  const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] };
  const native = [
    user("a"),
    { type: "reasoning", id: "rs_1", encrypted_content: "zz" },
    { ...call, id: "fc_1" },
    output,
    answer,
  ];
  const rebuilt = [user("a"), { ...call, status: "completed" }, output, { ...answer, status: "completed" }, user("b")];
  check([
    [
      gpt({ input: native }),
      gpt({ input: rebuilt }),
      { cause: "history_rewritten", unit: "/input/1", prefix_kept: false },
    ],
    [gpt({ input: native }), gpt({ input: native.toSpliced(1, 1) }), { cause: "history_dropped", unit: "/input/1" }],
  ]);
});

test("DF-15 the tokens follow the usage that a provider reported", () => {
  const { encode } = SAMPLE_ENCODINGS["anthropic-messages"];
  const after = encode({ ...SAMPLE_SESSION, system: "Other words." });
  const guessed = diffBodies(encode(SAMPLE_SESSION), after);
  expect(guessed.lost.tokens).toBe(Math.round(guessed.lost.bytes / 4));
  const whole = guessed.kept.bytes + guessed.lost.bytes;
  const counted = diffBodies(encode(SAMPLE_SESSION), after, { promptTokens: whole });
  expect(counted).toMatchObject({
    calibrated: true,
    lost: { tokens: counted.lost.bytes },
    kept: { tokens: counted.kept.bytes },
  });
});

test("DF-16 beside the deciding change stand the others that cost something", () => {
  const { encode } = SAMPLE_ENCODINGS["anthropic-messages"];
  const [first, ...others] = SAMPLE_SESSION.tools;
  const after = encode({
    ...SAMPLE_SESSION,
    tools: [...others, first!],
    system: "New words.",
    rows: [...SAMPLE_SESSION.rows.slice(2), ...NEXT_TURN],
  });
  const record = diffBodies(encode(SAMPLE_SESSION), {
    ...after,
    thinking: { type: "enabled", budget_tokens: 9 },
    max_tokens: 4,
  });
  expect(record.cause).toBe("tool_order");
  expect(record.also.map(({ cause }) => cause)).toEqual(["system_text", "history_dropped", "settings"]);
});

test("DF-17 a body that can't be compared says what is wrong with it, and where", () => {
  const open = (text: string) => openSessionRequest(Buffer.from(text), {});
  expect(open('{\n "a": tru }')).toMatchObject({ kind: "unusable", place: { line: 2, column: 7 } });
  expect(open("[]")).toMatchObject({ kind: "unusable", place: null });
  expect(open('{"a":1}')).toMatchObject({ kind: "unusable", message: expect.stringContaining("--api") });
});

test("DF-23 what a provider only noted on an earlier answer breaks the prefix perhaps, and another break decides", () => {
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "n",
    arguments: "{}",
    status: "completed",
  };
  const text = { type: "output_text", text: "done", annotations: [], logprobs: [] };
  const answer = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [text] };
  const rows = [user("a"), call, { type: "function_call_output", call_id: "call_1", output: "x" }, answer, user("b")];
  const { logprobs: _, ...bare } = text;
  const { status: __, ...stateless } = answer;
  const note = { cause: "history_rewritten", prefix_kept: false, certain: false } as const;
  check([
    [gpt({ input: rows }), gpt({ input: rows.with(3, stateless) }), { ...note, path: "/input/3/status" }],
    [
      gpt({ input: rows }),
      gpt({ input: [...rows.with(3, { ...answer, content: [bare] }), user("c")] }),
      { ...note, path: "/input/3/content/0/logprobs", unit: "/input/3" },
    ],
    [gpt({ input: rows }), gpt({ input: rows.with(1, { ...call, id: "fc_9" }) }), { ...note, path: "/input/1/id" }],
    [
      gpt({ input: rows }),
      gpt({ input: [user("a"), { ...call, id: "fc_9" }, { ...rows[2], output: "y" }, answer, user("b")] }),
      {
        cause: "history_rewritten",
        path: "/input/2/output",
        certain: true,
        also: [{ cause: "history_rewritten", path: "/input/1/id" }],
      },
    ],
    // A reference is all that its item holds.
    [
      gpt({ input: [user("a"), { type: "item_reference", id: "msg_1" }] }),
      gpt({ input: [user("a"), { type: "item_reference", id: "msg_2" }] }),
      { cause: "history_rewritten", certain: true },
    ],
    [
      claude({ messages: [user("a")] }),
      claude({ messages: [user("a")], betas: ["one"] }),
      { cause: "settings", path: "/betas", prefix_kept: true, certain: false },
    ],
  ]);
  const spelled = (limit: string) =>
    `{"model":"m","max_tokens":9,"tools":[{"name":"t","input_schema":{"maximum":${limit}}}],"messages":[]}`;
  expect(diffBodies(spelled("1"), spelled("1.0"))).toMatchObject({
    cause: "spelling_only",
    path: "/tools/0/input_schema/maximum",
    prefix_kept: true,
    certain: false,
  });
});

test("DF-3 the order of members counts in the schema of the answer", () => {
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } };
  const swapped = { type: "object", properties: { b: { type: "string" }, a: { type: "string" } } };
  const chat = (json_schema: Members): Members => ({
    model: "m",
    messages: [user("a")],
    response_format: { type: "json_schema", json_schema },
  });
  check([
    [
      chat({ name: "n", schema }),
      chat({ name: "n", schema: swapped }),
      { cause: "schema_key_order", path: "/response_format/json_schema/schema/properties", prefix_kept: false },
    ],
    [chat({ name: "n", schema }), chat({ schema, name: "n" }), { cause: "spelling_only", path: "", prefix_kept: true }],
    [
      claude({ messages: [user("a")], output_config: { format: { type: "json_schema", schema } } }),
      claude({ messages: [user("a")], output_config: { format: { type: "json_schema", schema: swapped } } }),
      { cause: "schema_key_order", unit: "/output_config", prefix_kept: false },
    ],
  ]);
});

test("DF-2 functions under their older name are tools", () => {
  const chat = (...functions: Members[]): Members => ({ model: "m", messages: [user("a")], functions });
  check([
    [chat({ name: "f" }), chat({ name: "f" }, { name: "g" }), { cause: "tool_added", path: "/functions/1" }],
    [chat({ name: "f" }, { name: "g" }), chat({ name: "g" }, { name: "f" }), { cause: "tool_order" }],
  ]);
});

test("DF-12 a plain input is the first message, and an item without a type is a message", () => {
  const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "b" }] };
  const kept = { cause: "append", path: "/input/1", prefix_kept: true } as const;
  const block = { type: "input_text", text: "a" };
  check([
    [gpt({ input: "a" }), gpt({ input: [user("a"), answer, user("c")] }), kept],
    [
      gpt({ input: "a" }),
      gpt({ input: [user([block])] }),
      { cause: "string_vs_blocks", path: "/input/0/content", unit: "/input/0", prefix_kept: true },
    ],
    [gpt({ input: "a" }), gpt({ input: [user("b")] }), { cause: "history_rewritten", prefix_kept: false }],
    [
      gpt({ input: [user("a")] }),
      gpt({ input: [{ type: "message", ...user("a") }, answer] }),
      { cause: "append", path: "/input/1", prefix_kept: true },
    ],
  ]);
});

test("DF-9 rows that are gone are lost and not paid again", () => {
  const long = (letter: string) => letter.repeat(400);
  const rows = [user(long("a")), { role: "assistant", content: long("b") }, user(long("c"))];
  const before = { model: "m", messages: rows };
  const summary = diffBodies(before, { model: "m", messages: [user("summary"), user("d")] });
  expect(summary.lost.bytes).toBeGreaterThan(1200);
  expect(summary.rewritten.bytes).toBeLessThan(100);
  const shorter = diffBodies(before, { model: "m", messages: rows.slice(0, 2) });
  expect(shorter).toMatchObject({ cause: "history_dropped", rewritten: { bytes: 0, tokens: 0 } });
  const clock = diffBodies(before, { model: "m", messages: [user("x"), ...rows.slice(1)] });
  expect(clock.rewritten.bytes).toBeGreaterThan(800);
  // The chain holds what the body does not carry.
  const chained = gpt({
    tools: [{ type: "function", name: "t" }],
    input: [user(long("a"))],
    previous_response_id: "r1",
  });
  const changed = { ...chained, tools: [], input: [user("b")], previous_response_id: "r2" };
  const { lost, rewritten } = diffBodies(chained, changed);
  expect(rewritten).toEqual(lost);
});

test("DF-9 on Anthropic's models the speed and the form of the answer cost the system text as well", () => {
  const body = (more: Members) =>
    claude({ system: "s".repeat(90), tools: [{ name: "t" }], messages: [user("a")], ...more });
  const keptAt = (more: Members) => diffBodies(body({}), body(more)).kept.bytes;
  expect(keptAt({ speed: "fast" })).toBe(keptAt({ thinking: { type: "adaptive" } }) - 92);
});
