/** What DeepSeek, which copies this API, rejects beyond it: a turn with calls that comes back without its thinking. */
import { asObject, asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

export function* deepseekFindings({ body, conversation, context }: AnthropicRequest): Generator<Rejection> {
  if (context.settings.backend !== "deepseek") return;
  const asked = asText(asObject(body.thinking).type);
  if (asked === "disabled" || (asked !== "enabled" && !/reasoner|v4/.test(asText(body.model)))) return;
  for (const { role, blocks } of conversation.turns) {
    const calls = role === "assistant" && blocks.some(({ type }) => type === "tool_use");
    if (!calls || blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking")) continue;
    yield { rule: "K-DS-1", message: "The `content[].thinking` in the thinking mode must be passed back to the API." };
  }
}
