/** How a conversation may end. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

/** The first generation that does not continue an answer begun by the client. */
export const NO_PREFILL_SINCE = 4.6;

export function* endFindings({ conversation, model }: AnthropicRequest): Generator<Rejection> {
  const last = conversation.turns.at(-1);
  // A system row may end the array.
  if (last?.role !== "assistant" || conversation.rows.at(-1)?.role !== "assistant") return;
  const block = last.blocks.at(-1);
  // A turn that the server itself paused is sent back as it is, on every model.
  const paused = last.blocks.some(({ type }) => type === "server_tool_use");
  if (model.version >= NO_PREFILL_SINCE && !paused) {
    yield {
      rule: "A-PREFILL-21",
      message: "This model does not support assistant message prefill. The conversation must end with a user message.",
    };
  }
  if (model.version < NO_PREFILL_SINCE && block?.type === "text" && /\s$/.test(asText(block.block.text))) {
    yield { rule: "A-WS-14", message: "messages: final assistant content cannot end with trailing whitespace" };
  }
}
