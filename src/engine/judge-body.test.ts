import { expect, test } from "vitest";
import { judgeBody } from "./judge-body.ts";

const asBytes = (body: object) => Buffer.from(JSON.stringify(body));

test.each([
  [
    "openai-completions",
    "mistral",
    "mistral-conversations",
    ["M-ID-1"],
    {
      messages: [
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "ok" },
      ],
    },
  ],
  [
    "openai-responses",
    "codex",
    "openai-codex-responses",
    ["X-INSTR-1", "X-STORE-3"],
    { input: [{ role: "user", content: "go" }] },
  ],
] as const)("%s at %s is judged as %s, its own kind of the protocol", (api, backend, own, rules, body) => {
  const judged = judgeBody(asBytes({ model: "one", ...body }), { api, backend });
  if (judged.kind !== "judged" || judged.verdict.kind !== "unsafe") throw new Error(judged.kind);
  expect(judged.api).toBe(own);
  expect(judged.verdict.hard.map(({ rule }) => rule)).toEqual(expect.arrayContaining([...rules]));
});
