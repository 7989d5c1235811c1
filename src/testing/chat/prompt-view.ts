import { asObject, asObjects, asText } from "../json-value.ts";
import type { PromptView } from "../prompt-view.ts";
import type { ChatRequest, ChatRow } from "./chat-request.ts";

export function viewPrompt({ body, rows }: ChatRequest): PromptView {
  const last = rows.at(-1);
  const start = rows.findLastIndex((row) => row.role === "assistant") + 1;
  const user = rows.slice(start).filter((row) => row.role === "user");
  return {
    userText: user.map(textOf).join("\n"),
    resultText: last?.role === "tool" ? textOf(last) : null,
    tools: asObjects(body.tools).map((tool) => {
      const definition = asObject(tool.function);
      return { name: asText(definition.name), schema: asObject(definition.parameters) };
    }),
  };
}

function textOf({ message }: ChatRow): string {
  if (typeof message.content === "string") return message.content;
  return asObjects(message.content)
    .map((part) => asText(part.text))
    .join("\n");
}
