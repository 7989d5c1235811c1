import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { createProviderContext } from "../provider-context.ts";
import type { SimulatedBackend } from "../provider-options.ts";
import { validateChat } from "./validate.ts";

type Row = JsonObject;
const system: Row = { role: "system", content: "s" };
const user: Row = { role: "user", content: "u" };
const said: Row = { role: "assistant", content: "a" };
const calls = (...ids: string[]) =>
  ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } }));
const calling = (ids: string[], more: JsonObject = {}): Row => ({
  role: "assistant",
  content: null,
  tool_calls: calls(...ids),
  ...more,
});
const result = (id: string): Row => ({ role: "tool", tool_call_id: id, content: "r" });

interface Extra {
  readonly body?: JsonObject;
  readonly model?: string;
  readonly says?: string;
}
type Case = readonly [title: string, rule: string | null, messages: readonly Row[], extra?: Extra];

function check(backend: SimulatedBackend, [, rule, messages, extra = {}]: Case): void {
  const body = { model: extra.model ?? "m", messages, ...extra.body };
  const verdict = validateChat(body, createProviderContext({ backend }));
  expect("rule" in verdict ? verdict.rule : null).toBe(rule);
  if ("rule" in verdict) expect(JSON.stringify(verdict.body)).toContain(JSON.stringify(extra.says ?? "").slice(1, -1));
}

function suite(backend: SimulatedBackend, cases: readonly Case[]): void {
  describe(backend, () => {
    for (const one of cases) test(`${one[1] ?? "200:"} ${one[0]}`, () => check(backend, one));
  });
}

const tools = (name: string) => ({ tools: [{ type: "function", function: { name } }] });

suite("openai", [
  [
    "a call without its tool message",
    "C-PAIR-1",
    [user, calling(["a"]), user],
    { says: "did not have response messages: a" },
  ],
  ["a call at the end", "C-PAIR-1", [user, calling(["a"])]],
  ["a row between call and tool message", "C-PAIR-1", [user, calling(["a"]), user, result("a")]],
  ["one of two answered", "C-PAIR-1", [user, calling(["a", "b"]), result("b"), said], { says: "messages: a" }],
  ["a tool message without a call", "C-PAIR-2", [user, result("a")], { says: "preceeding message" }],
  ["a tool message for another id", "C-PAIR-2", [user, calling(["a"]), result("a"), result("b")]],
  [
    "null without calls",
    "C-NULL-3",
    [user, { role: "assistant", content: null }, user],
    { says: "expected a string, got null" },
  ],
  ["an empty array", "C-NULL-3", [{ role: "user", content: [] }]],
  ["a dotted tool name", "C-NAME-4", [user], { body: tools("mail.flag") }],
  ["no tools in the list", "C-EMPTYTOOLS-5", [user], { body: { tools: [] } }],
  ["no calls in the list", "C-EMPTYTOOLS-5", [user, { ...said, tool_calls: [] }, user]],
  [
    "null with calls, order and repeated roles are free",
    null,
    [user, user, calling(["a", "b"]), result("b"), result("a"), said, said, user],
  ],
  ["empty strings are fine", null, [user, calling(["a"], { content: "" }), { ...result("a"), content: "" }]],
]);

suite("deepseek", [
  [
    "a tool turn without its reasoning",
    "K-DS-1",
    [user, calling(["a"]), result("a")],
    { model: "deepseek-reasoner", says: "at message index 1" },
  ],
  [
    "a place holder on V4",
    "K-DS-1",
    [user, calling(["a"], { reasoning_content: "." }), result("a")],
    { model: "deepseek-v4" },
  ],
  [
    "empty reasoning is fine",
    null,
    [user, calling(["a"], { reasoning_content: "" }), result("a")],
    { model: "deepseek-reasoner" },
  ],
  ["a plain turn needs none", null, [user, said, user], { model: "deepseek-reasoner" }],
  [
    "thinking switched off needs none",
    null,
    [user, calling(["a"]), result("a")],
    { model: "deepseek-v4", body: { thinking: { type: "disabled" } } },
  ],
  ["its own words for an open call", "C-PAIR-1", [user, calling(["a"]), user], { says: "(insufficient tool messages" }],
]);

const kimi = { model: "kimi-k2-thinking" };
suite("moonshot", [
  [
    "a tool turn without its reasoning",
    "K-KIMI-2",
    [user, calling(["a"]), result("a")],
    { ...kimi, says: "thinking is enabled" },
  ],
  ["a tool message without a call", "K-KIMI-2", [user, result("a")], { says: "is not found" }],
  [
    "an empty assistant row",
    "K-KIMI-2",
    [user, { role: "assistant", content: "" }, user],
    { says: "must not be empty" },
  ],
  [
    "an empty text part",
    "K-KIMI-2",
    [{ role: "user", content: [{ type: "text", text: "" }] }],
    { says: "text content is empty" },
  ],
  [
    "a forced tool with thinking",
    "K-KIMI-2",
    [user],
    { ...kimi, body: { tool_choice: { type: "function" } }, says: "incompatible" },
  ],
]);

suite("groq", [
  [
    "reasoning in the history",
    "K-GROQ-4",
    [user, { ...said, reasoning_content: "r" }, user],
    { says: "is unsupported" },
  ],
]);
suite("cerebras", [["reasoning in the history", "K-GROQ-4", [user, { ...said, reasoning_content: "" }, user]]]);
suite("qwen", [
  ["an open call", "K-QWEN-8", [user, calling(["a"]), user], { says: "InternalError.Algo.InvalidParameter" }],
]);
suite("lmstudio", [["null with calls", "C-NULL-3", [user, calling(["a"]), result("a")]]]);

suite("ollama", [
  ["null with calls", "K-OLL-5", [user, calling(["a"]), result("a")], { says: "<nil>" }],
  [
    "thinking in the history of a cloud model",
    "K-OLL-5",
    [user, { ...said, thinking: "t" }, user],
    { model: "gpt-oss:120b-cloud" },
  ],
  ["thinking in the history of a local model is fine", null, [user, { ...said, thinking: "t" }, user]],
]);

const mistralLike = { model: "mistral-small-3.2-24b" };
suite("vllm", [
  ["two user rows", "K-TPL-6", [system, user, user, said, user], { ...mistralLike, says: "must alternate" }],
  [
    "a user row behind a tool row that nobody answered",
    "K-TPL-6",
    [user, calling(["a"]), result("a"), user],
    mistralLike,
  ],
  ["tools in between do not count", null, [system, user, calling(["a"]), result("a"), said, user], mistralLike],
  ["a late system row on Qwen", "K-TPL-6", [user, system, user], { model: "qwen3-32b", says: "at the beginning" }],
  ["other templates do not mind", null, [user, user, system], { model: "llama-4" }],
]);

suite("mistral", [
  ["an id of another form", "M-ID-1", [user, calling(["call_1"]), result("call_1")], { says: "with a length of 9" }],
  [
    "a user row behind a tool row",
    "M-ORD-2",
    [user, calling(["abcdefgh1"]), result("abcdefgh1"), user],
    { says: "Unexpected role 'user' after role 'tool'" },
  ],
  ["a tool row behind a user row", "M-ORD-3", [user, result("abcdefgh1")]],
  ["an assistant row at the end", "M-LAST-4", [user, said], { says: "Expected last role" }],
  [
    "fewer results than calls",
    "M-COUNT-5",
    [user, calling(["abcdefgh1", "abcdefgh2"]), result("abcdefgh1"), said, user],
  ],
  ["a prefix at the end is fine", null, [user, { ...said, prefix: true }]],
  ["an answered call is fine", null, [user, calling(["abcdefgh1"]), result("abcdefgh1"), said, user]],
]);
