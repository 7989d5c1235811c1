/** How a conversation may end. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

/** The first generation that does not continue an answer begun by the client. */
const noPrefillSince = 4.6;

export function* endFindings({ conversation, model }: AnthropicRequest): Generator<Rejection> {
  const last = conversation.turns.at(-1);
  if (last?.role !== "assistant") return;
  const block = last.blocks.at(-1);
  // A turn that the server itself paused is sent back as it is, on every model.
  const paused = block?.type === "server_tool_use" || block?.type.endsWith("_tool_result") === true;
  if (model.version >= noPrefillSince && !paused) {
    yield {
      rule: "A-PREFILL-21",
      message: "This model does not support assistant message prefill. The conversation must end with a user message.",
    };
  }
  if (block?.type === "text" && /\s$/.test(asText(block.block.text))) {
    yield { rule: "A-WS-14", message: "messages: final assistant content cannot end with trailing whitespace" };
  }
}
