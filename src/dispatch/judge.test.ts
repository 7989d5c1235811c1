import { expect, test } from "vitest";
import type { Api } from "../wire/api.ts";
import { readRequest } from "./document.ts";
import { judge } from "./judge.ts";

/** More than one call of a function takes as arguments. */
const MANY = 200_000;

const call = { type: "tool_use", id: "a", name: "read", input: {} };
const text = { type: "text", text: "x" };
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const many = <T>(one: (nth: number) => T) => Array.from({ length: MANY }, (_, nth) => one(nth));

test("DG-1 a history with more rows or blocks than a call takes arguments is judged like any other", () => {
  const rules = (api: Api, messages: readonly unknown[], more: object = {}) => {
    const request = readRequest(api, { model: "claude-sonnet-4-5", messages, ...more });
    const backend = api === "openai-completions" ? "openai" : "anthropic";
    const { findings } = judge(request, { backend, issuer: backend, memory: null });
    return findings.map(({ rule }) => rule.id);
  };
  const anthropic = "anthropic-messages";
  expect(rules(anthropic, many((nth) => (nth % 2 === 0 ? user("x") : assistant("x"))).slice(1))).toContain("A-MAX-30");
  const results = many((nth) => ({ type: "tool_result", tool_use_id: `${nth}`, content: "x" }));
  expect(rules(anthropic, [user("x"), assistant([call]), user(results)])).toContain("A-PAIR-2");
  expect(rules(anthropic, [user(results)], { thread: { type: "continue" } })).toEqual([]);
  expect(rules(anthropic, [user("x"), assistant([call, ...many(() => text)]), user("x")])).toContain("A-ASST-4");
  const chat = "openai-completions";
  const toolRows = many((nth) => ({ role: "tool", tool_call_id: `${nth}`, content: "x" }));
  expect(rules(chat, [user("x"), ...toolRows])).toContain("C-PAIR-2");
  const pairs = many((nth) => ({ ...call, id: `${nth}` }));
  expect(rules(anthropic, [user("x"), assistant(pairs), user(results)])).toEqual([]);
  const calls = many((nth) => ({ id: `${nth}`, type: "function", function: { name: "read", arguments: "{}" } }));
  expect(rules(chat, [user("x"), { role: "assistant", content: null, tool_calls: calls }])).toContain("C-PAIR-1");
  expect(rules(chat, [user("x"), ...toolRows.map((row) => ({ ...row, content: { odd: true } }))])).toEqual([]);
});
