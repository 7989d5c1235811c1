import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { createProviderContext } from "../provider-context.ts";
import type { SimulatedProviderOptions } from "../provider-options.ts";
import { validateAnthropic } from "./validate.ts";

type Row = JsonObject;
const user = (...content: unknown[]): Row => ({ role: "user", content });
const assistant = (...content: unknown[]): Row => ({ role: "assistant", content });
const system = (...content: unknown[]): Row => ({ role: "system", content });
const text = (value: string, more = {}) => ({ type: "text", text: value, ...more });
const call = (id: string, more = {}) => ({ type: "tool_use", id, name: "read", input: {}, ...more });
const result = (id: string, more = {}) => ({ type: "tool_result", tool_use_id: id, content: "done", ...more });
const thinking = (signature: unknown, value = "hm") => ({ type: "thinking", thinking: value, signature });
const serverCall = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: {} });
const serverResult = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const marker = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });
const tool = (name: string, more = {}) => ({ name, input_schema: { type: "object" }, ...more });

const go = user(text("go"));

interface Extra {
  readonly body?: JsonObject;
  readonly options?: SimulatedProviderOptions;
  readonly model?: string;
  readonly says?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Case = readonly [title: string, rule: string | null, messages: readonly Row[], extra?: Extra];

/** A rule, or null where the API answers 200. */
function check([, rule, messages, extra = {}]: Case): void {
  const body = { model: extra.model ?? "claude-sonnet-4-5", max_tokens: 64, messages, ...extra.body };
  const verdict = validateAnthropic(body, createProviderContext(extra.options), extra.headers);
  expect("rule" in verdict ? verdict.rule : null).toBe(rule);
  if ("rule" in verdict) {
    expect(verdict.body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(JSON.stringify(verdict.body)).toContain(JSON.stringify(extra.says ?? "").slice(1, -1));
  }
}

function suite(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    for (const one of cases) test(`${one[1] ?? "200:"} ${one[0]}`, () => check(one));
  });
}

suite("calls and results", [
  [
    "an open call in front of user text is named",
    "A-PAIR-1",
    [go, assistant(call("a")), go],
    { says: "immediately after: a." },
  ],
  ["an open call at the end is named", "A-PAIR-1", [go, assistant(call("a"))]],
  [
    "a call with one of two results is open",
    "A-PAIR-1",
    [go, assistant(call("a"), call("b")), user(result("a"))],
    { says: "after: b." },
  ],
  [
    "a result without a call",
    "A-PAIR-2",
    [user(result("a"))],
    { says: "messages.0.content.0: unexpected `tool_use_id`" },
  ],
  ["a result behind a turn without calls", "A-PAIR-2", [go, assistant(text("hi")), user(result("a"))]],
  ["text in front of the results", "A-LEAD-3", [go, assistant(call("a")), user(text("x"), result("a"))]],
  [
    "text between two results",
    "A-LEAD-3",
    [go, assistant(call("a"), call("b")), user(result("a"), text("x"), result("b"))],
  ],
  [
    "user text in a row of its own in front of the results",
    "A-LEAD-3",
    [go, assistant(call("a")), go, user(result("a"))],
  ],
  ["text behind the results is fine", null, [go, assistant(call("a")), user(result("a"), text("x"))]],
  ["results in any order are fine", null, [go, assistant(call("a"), call("b")), user(result("b"), result("a"))]],
  [
    "results in two user rows are merged",
    null,
    [go, assistant(call("a"), call("b")), user(result("a")), user(result("b"))],
  ],
  ["text behind a call", "A-ASST-4", [go, assistant(call("a"), text("x")), user(result("a"))]],
  ["a call in a user row", "A-ROLE-5", [user(call("a"))]],
  ["a result in an assistant row", "A-ROLE-5", [go, assistant(call("a"), result("a")), go]],
  [
    "one id for two calls",
    "A-DUP-6",
    [go, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
  ],
  ["two results for one call", "A-DUPRES-7", [go, assistant(call("a")), user(result("a"), result("a"))]],
  [
    "an unknown tool in the history is fine",
    null,
    [go, assistant(call("a")), user(result("a"))],
    { body: { tools: [tool("other")] } },
  ],
]);

suite("server tools", [
  ["a call without its result", "A-SRV-8", [go, assistant(serverCall("s")), go]],
  ["a result without its call", "A-SRV-8", [go, assistant(serverResult("s")), go]],
  [
    "a client's call in front of it",
    "A-SRV-8",
    [go, assistant(call("a"), serverCall("s"), serverResult("s")), user(result("a"))],
  ],
  ["a paused turn sent back is fine", null, [go, assistant(serverCall("s"))], { model: "claude-opus-5-5" }],
  ["a pair is fine", null, [go, assistant(serverCall("s"), serverResult("s"), text("x")), go]],
]);

suite("names and references", [
  ["a composite id", "A-ID-10", [go, assistant(call("a|b")), user(result("a|b"))]],
  ["a dotted tool name", "A-NAME-11", [go], { body: { tools: [tool("mail.flag")] }, says: "tools.0.custom.name" }],
  ["two tools of one name", "A-NAME-11", [go], { body: { tools: [tool("a"), tool("a")] } }],
  ["a call without a name", "A-NAME-11", [go, assistant(call("a", { name: "" })), user(result("a"))]],
  [
    "a reference to a tool that is gone",
    "A-REF-9",
    [go, assistant(call("a")), user(result("a", { content: [{ type: "tool_reference", tool_name: "gone" }] }))],
    { body: { tools: [tool("read")] }, says: "tool_reference_unresolved" },
  ],
  [
    "a change of a tool that is not there",
    "A-REF-9",
    [go, system({ type: "tool_addition", tool: { type: "tool_reference", name: "later" } })],
    { model: "claude-opus-5-5" },
  ],
  [
    "a tool defined in the messages can be taken away again",
    null,
    [
      go,
      system({ type: "tool_addition", tool: { type: "tool_definition", definition: tool("later") } }),
      assistant(text("x")),
      go,
      system({ type: "tool_removal", tool: { type: "tool_reference", name: "later" } }),
    ],
    { model: "claude-opus-5-5" },
  ],
  [
    "a reference to a deferred tool is fine",
    null,
    [go, assistant(call("a")), user(result("a", { content: [{ type: "tool_reference", tool_name: "later" }] }))],
    { body: { tools: [tool("read"), tool("later", { defer_loading: true })] } },
  ],
]);

suite("emptiness and encoding", [
  ["an empty text block", "A-EMPTY-12", [user(text("x"), text(""))]],
  ["a blank text block", "A-EMPTY-12", [user(text(" \n"))]],
  ["a user row without content", "A-EMPTY-12", [go, assistant(text("x")), { role: "user", content: "" }]],
  ["an empty result is fine", null, [go, assistant(call("a")), user(result("a", { content: "" }))]],
  [
    "a system row that carries only settings is fine",
    null,
    [go, { ...system(), output_config: { effort: "high" } }],
    { model: "claude-opus-5-5" },
  ],
  ["half an emoji", "A-UTF-15", [user(text("cut \ud83c"))], { says: "no low surrogate" }],
  ["a NUL", "A-UTF-15", [user(text("a\0b"))], { says: "unexpected end of data" }],
  ["joiners and controls are fine", null, [user(text("\u{1f469}\u200d\u{1f467} \u0001 \u2028"))]],
]);

suite("thinking", [
  [
    "a tool loop that does not start with thinking",
    "A-THINK-16",
    [go, assistant(call("a")), user(result("a"))],
    { model: "claude-opus-4-1", body: { thinking: { type: "enabled" } } },
  ],
  [
    "an old turn without thinking is fine",
    null,
    [go, assistant(call("a")), user(result("a")), assistant(text("x")), go],
    { model: "claude-opus-4-1", body: { thinking: { type: "enabled" } } },
  ],
  [
    "thinking is off and the last turn holds some",
    "A-THINK-17",
    [go, assistant(thinking("s"), text("x"))],
    { model: "claude-haiku-4-5" },
  ],
  ["a blank signature", "A-SIG-18", [go, assistant(thinking(""), text("x")), go], { says: "Invalid `signature`" }],
  [
    "no signature",
    "A-SIG-18",
    [go, assistant(thinking(undefined), text("x")), go],
    { says: "signature: Field required" },
  ],
  [
    "a signature that was never issued passes",
    null,
    [go, assistant(thinking("opaque"), text("x")), go],
    { model: "claude-opus-5-5" },
  ],
  [
    "a signature that was never issued, strictly",
    "A-SIG-18",
    [go, assistant(thinking("opaque"), text("x")), go],
    { options: { strictSignatures: true } },
  ],
  [
    "the binding control without its beta",
    "A-PREFIX-19",
    [go],
    { body: { thinking: { type: "adaptive", block_binding: {} } }, says: "Extra inputs" },
  ],
  ["a forced tool on Fable", "A-FORCE-20", [go], { model: "claude-fable-5-1", body: { tool_choice: { type: "any" } } }],
  [
    "a forced tool with thinking",
    "A-FORCE-20",
    [go],
    { body: { tool_choice: { type: "tool", name: "a" }, thinking: { type: "enabled" } } },
  ],
  ["a forced tool alone is fine", null, [go], { body: { tool_choice: { type: "any" } } }],
]);

suite("ends and system rows", [
  ["prefill on a new model", "A-PREFILL-21", [go, assistant(text("x"))], { model: "claude-opus-4-6" }],
  ["prefill on an old model is fine", null, [go, assistant(text("x"))]],
  ["prefill that ends with a space", "A-WS-14", [go, assistant(text("x "))]],
  ["a system row on an old model", "A-SYS-22", [system(text("x")), go]],
  ["a system row at the start", "A-SYS-22", [system(text("x")), go], { model: "claude-opus-4-8" }],
  ["a system row between user rows", "A-SYS-22", [go, system(text("x")), go], { model: "claude-opus-5-5" }],
  [
    "a system row in front of an assistant row is fine",
    null,
    [go, system(text("x")), assistant(text("y")), go],
    { model: "claude-opus-5-5" },
  ],
  [
    "a run of system rows at the end is fine",
    null,
    [go, system(text("x")), system(text("y"))],
    { model: "claude-opus-5-5" },
  ],
  ["rows of one role are merged", null, [go, go, assistant(text("x")), assistant(text("y")), go]],
]);

const five = Array.from({ length: 5 }, (_, at) => text(`t${at}`, marker()));
suite("cache markers", [
  ["five of them", "A-CC-23", [user(...five)], { says: "Found 5." }],
  ["four and the automatic one", "A-CC-23", [user(...five.slice(1))], { body: marker() }],
  ["four are fine", null, [user(...five.slice(1))]],
  [
    "an hour behind five minutes",
    "A-CC-24",
    [user(text("x", marker("1h")))],
    { body: { system: [text("s", marker())] } },
  ],
  [
    "five minutes behind an hour is fine",
    null,
    [user(text("x", marker()))],
    { body: { system: [text("s", marker("1h"))] } },
  ],
  ["on thinking", "A-CC-25", [go, assistant({ ...thinking("s"), ...marker() }, text("x")), go]],
  ["on a deferred tool", "A-CC-25", [go], { body: { tools: [tool("a", { defer_loading: true, ...marker() })] } }],
  ["with a life on Bedrock", "A-CC-25", [user(text("x", marker("1h")))], { options: { backend: "bedrock" } }],
]);

/** The first bytes of a PNG of this size; nobody looks at the rest. */
function png(width: number): JsonObject {
  const bytes = Buffer.alloc(40);
  bytes.write("\x89PNG", "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(10, 20);
  return { type: "image", source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") } };
}
const images = (count: number) => Array.from({ length: count }, () => png(100));
suite("images", [
  [
    "a wide one among more than twenty",
    "A-IMG-26",
    [user(png(2400)), assistant(text("x")), user(...images(20))],
    { says: "many-image requests: 2000" },
  ],
  ["a wide one among twenty is fine", null, [user(png(2400)), assistant(text("x")), user(...images(19))]],
  ["one over the absolute limit", "A-IMG-26", [user(png(8001))]],
  [
    "in a failed result",
    "A-ERRIMG-27",
    [go, assistant(call("a")), user(result("a", { is_error: true, content: [png(10)] }))],
  ],
]);

suite("members that must be there", [
  ["no messages", "schema", [], { says: "at least one message is required" }],
  ["more messages than the API takes", "A-MAX-30", Array.from({ length: 100_001 }, () => go)],
  ["a block without a type", "schema", [user({ text: "x" })]],
]);

suite("planted and switched off rules", [
  [
    "a compaction block behind something",
    "A-CMP-28",
    [go, assistant({ type: "compaction", content: "x", signature: "s" }), go],
  ],
  [
    "an unknown rejection that a test plants",
    "planted",
    [go],
    { options: { extraRules: [{ id: "planted", rejects: () => "no Mondays" }] }, says: "no Mondays" },
  ],
  [
    "a rule that this provider does not enforce",
    null,
    [go, assistant(call("a")), go],
    { options: { accepts: ["A-PAIR-1"] } },
  ],
]);

const deepseek: SimulatedProviderOptions = { backend: "deepseek" };
const called = [go, assistant(call("a")), user(result("a"))];
const v4 = { model: "deepseek-v4-pro" };
suite("DeepSeek", [
  ["calls without their thinking", "K-DS-1", called, { options: deepseek, body: v4, says: "must be passed back" }],
  ["which Anthropic itself takes", null, called],
  ["thinking is off", null, called, { options: deepseek, body: { ...v4, thinking: { type: "disabled" } } }],
  ["a model that does not think", null, called, { options: deepseek, body: { model: "deepseek-chat" } }],
  ["with it", null, [go, assistant(thinking("s"), call("a")), user(result("a"))], { options: deepseek, body: v4 }],
]);

const zai: SimulatedProviderOptions = { backend: "zai" };
const hollow = [go, assistant(call("a")), user({ ...result("a"), content: [] })];
suite("z.ai", [
  ["a result without blocks", "K-ZAI-7", hollow, { options: zai, says: "not received normally" }],
  ["which Anthropic itself takes", null, hollow],
  [
    "a result with an empty text",
    null,
    [go, assistant(call("a")), user({ ...result("a"), content: "" })],
    { options: zai },
  ],
]);
