import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { PromptView } from "../prompt-view.ts";
import type { ResponsesRequest } from "./responses-request.ts";

export function viewPrompt({ body, items }: ResponsesRequest): PromptView {
  const user = items.findLastIndex((one) => one.item.role === "user");
  const result = items.findLastIndex((one) => one.type.endsWith("_output"));
  const answer = items.findLastIndex((one) => one.item.role === "assistant" || one.type.endsWith("_call"));
  return {
    userText: items
      .slice(answer + 1, user + 1)
      .filter((one) => one.item.role === "user")
      .map((one) => textOf(one.item.content))
      .join("\n"),
    resultText: result > user ? textOf(items[result]!.item.output) : null,
    tools: asObjects(body.tools).flatMap((tool) => offeredTool(tool)),
  };
}

function offeredTool(tool: JsonObject): { name: string; schema: JsonObject }[] {
  return tool.type === "function" ? [{ name: asText(tool.name), schema: asObject(tool.parameters) }] : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((part) => asText(part.text))
    .join("\n");
}
