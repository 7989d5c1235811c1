import { expect, test } from "vitest";
import { promptRows } from "./rows.ts";

const call = { type: "tool-call", toolCallId: "call_1", toolName: "bash", input: { command: "ls" } };
const outputOf = (output: object) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "call_1", toolName: "bash", output }],
});

test("HO-12 every part of a prompt is a block of its kind", () => {
  const rows = promptRows({
    prompt: [
      { role: "system", content: "Be terse." },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "file", mediaType: "image/png", data: "AAAA" },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "reasoning", text: "Hm" }, { type: "text", text: "Well" }, call, { type: "dream" }],
      },
      outputOf({ type: "text", value: "found" }),
    ],
  });
  expect(rows!.map(({ role, blocks }) => [role, ...blocks.map(({ kind }) => kind)])).toEqual([
    ["system", "text"],
    ["user", "text", "media"],
    ["assistant", "thinking", "text", "call", "opaque"],
    ["tool", "result"],
  ]);
  expect(rows![2]!.blocks[2]).toMatchObject({ id: "call_1", name: "bash", input: { command: "ls" } });
});

test.each([
  [{ type: "text", value: "found" }, "found", false],
  [{ type: "error-text", value: "lost" }, "lost", true],
  [{ type: "json", value: { files: 2 } }, '{"files":2}', false],
  [{ type: "error-json", value: [1] }, "[1]", true],
  [{ type: "content", value: [{ type: "text", text: "found" }] }, [{ type: "text", text: "found" }], false],
])("HO-12 a result is what the model reads of it: %j", (output, content, isError) => {
  const [row] = promptRows({ prompt: [outputOf(output)] })!;
  expect(row!.blocks).toMatchObject([{ kind: "result", callId: "call_1", value: { content }, isError }]);
});

test("HO-12 a prompt whose answers are stored at the provider is not compared, as references go out in their place", () => {
  const text = { type: "text", text: "Well", providerOptions: { openai: { itemId: "msg_1" } } };
  const prompt = [{ role: "assistant", content: [text] }];
  expect(promptRows({ prompt })).toBeNull();
  expect(promptRows({ prompt, providerOptions: { openai: { store: false } } })).toHaveLength(1);
  expect(promptRows({})).toBeNull();
});
