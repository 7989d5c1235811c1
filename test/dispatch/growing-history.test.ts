/** What is remembered about the rows of a history must not show: judged on from the body before, or anew, is the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readRequest } from "../../src/dispatch/document.ts";
import { judge } from "../../src/dispatch/judge.ts";
import { rulesOf } from "../../src/dispatch/rules/rules.ts";
import type { Api } from "../../src/wire/api.ts";
import type { Row } from "../../src/wire/request.ts";

const numRuns = Number(process.env.HOLDFAST_TEST_RUNS ?? 1_000);

type Json = Readonly<Record<string, unknown>>;

const id = fc.constantFrom("a", "b", "c", "", "d|e");
const words = fc.constantFrom("x", "", " ", "\ud800");

const anthropicBlock = fc.oneof(
  { weight: 3, arbitrary: id.map((id): Json => ({ type: "tool_use", id, name: "read", input: {} })) },
  { weight: 3, arbitrary: id.map((id): Json => ({ type: "tool_result", tool_use_id: id, content: "x" })) },
  { weight: 2, arbitrary: words.map((text): Json => ({ type: "text", text })) },
  fc.constantFrom<Json>(
    { type: "invented" },
    { type: "thinking", thinking: "x", signature: "" },
    { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    { type: "text", text: "x", cache_control: { type: "ephemeral" } },
    { type: "compaction", content: "x" },
  ),
);
const anthropicRow = fc.record({
  role: fc.constantFrom("user", "assistant", "assistant", "user", "system", "invented"),
  content: fc.oneof(fc.array(anthropicBlock, { maxLength: 3 }), words),
});

const chatCall = id.map((id): Json => ({ id, type: "function", function: { name: "read", arguments: "{}" } }));
const chatRow = fc.oneof(
  fc.record({
    role: fc.constant("assistant"),
    content: fc.constantFrom("x", "", null),
    tool_calls: fc.array(chatCall, { maxLength: 2 }),
    reasoning_content: fc.constantFrom(undefined, ".", "x"),
  }),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content: words }),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content: words }),
  fc.record({ role: fc.constantFrom("user", "system", "assistant", "developer", "invented"), content: words }),
);

const itemId = fc.constantFrom(undefined, "fc_1", "fc_2", "rs_1", "msg_1", "odd");
const item = fc.oneof(
  fc.record({ type: fc.constant("function_call"), call_id: id, id: itemId, name: words, arguments: fc.constant("{}") }),
  fc.record({ type: fc.constant("function_call_output"), call_id: id, output: words }),
  fc.record({ type: fc.constant("custom_tool_call_output"), call_id: id, output: words }),
  fc.record({ type: fc.constant("reasoning"), id: itemId, encrypted_content: fc.constantFrom(undefined, "sealed") }),
  fc.record({ type: fc.constantFrom("invented", "item_reference"), call_id: id, id: itemId }),
  fc.record({ role: fc.constantFrom("user", "assistant", "developer", "system"), content: words }),
);

const models = fc.constantFrom("claude-opus-5-5", "mistral-large", "qwen3", "deepseek-v4", "kimi-k2.5", "gpt-5.5");

const APIS: readonly { api: Api; rowsName: string; row: fc.Arbitrary<unknown> }[] = [
  { api: "anthropic-messages", rowsName: "messages", row: anthropicRow },
  { api: "openai-completions", rowsName: "messages", row: chatRow },
  { api: "openai-responses", rowsName: "input", row: item },
];

/** Bodies that each keep some rows of the one before, or of the one before that. */
const changes = (row: fc.Arbitrary<unknown>) =>
  fc.array(fc.record({ kept: fc.nat(8), back: fc.nat(1), added: fc.array(row, { maxLength: 4 }) }), { maxLength: 6 });

for (const { api, rowsName, row } of APIS) {
  test(`DG-1 a history that grows, shrinks and branches is judged as if it were read anew: ${api}`, () => {
    const backends = fc.constantFrom(...new Set(rulesOf(api).flatMap((rule) => rule.backends)));
    fc.assert(
      fc.property(changes(row), models, backends, fc.boolean(), (steps, model, backend, store) => {
        const seen: { rows: readonly unknown[]; read: readonly Row[] }[] = [];
        for (const { kept, back, added } of steps) {
          const before = seen.at(-1 - back);
          const rows = [...(before?.rows ?? []).slice(0, kept), ...added];
          const body = { model, store, [rowsName]: rows };
          const grown = readRequest(api, body, before?.read);
          const context = { backend, issuer: "x", memory: null };
          expect(plain(judge(grown, context))).toEqual(plain(judge(readRequest(api, structuredClone(body)), context)));
          seen.push({ rows, read: grown.rows });
        }
      }),
      { numRuns },
    );
  });
}

/** As text, so that what a row remembers does not count. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === "memo" ? undefined : member)));
}
