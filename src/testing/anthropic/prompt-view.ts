import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { PromptView } from "../prompt-view.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { blocksOf } from "./conversation.ts";

export function viewPrompt({ body, conversation }: AnthropicRequest): PromptView {
  const blocks = conversation.turns.at(-1)?.blocks ?? [];
  const result = blocks.findLast((one) => one.type === "tool_result");
  return {
    userText: textOf(blocks.map((one) => one.block)),
    resultText: result === undefined ? null : textOf(blocksOf(result.block.content)),
    tools: asObjects(body.tools).map((tool) => ({
      name: asText(tool.name),
      schema: asObject(tool.input_schema),
    })),
  };
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [asText(block.text)] : [])).join("\n");
}
