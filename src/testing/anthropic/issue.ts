/** Puts the provider's name under its thinking: what is remembered here is what a later request is checked against. */
import type { JsonObject } from "../json-value.ts";
import { asText } from "../json-value.ts";
import type { AnswerPart } from "../script.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { type PrefixState, sealOf, stepOver } from "./binding.ts";
import { isThinking, readConversation } from "./conversation.ts";
import { messageSegments } from "./prompt-segments.ts";

/** The content blocks of an answer, with fresh ids and signatures. */
export function composeContent(
  request: AnthropicRequest,
  end: PrefixState,
  parts: readonly AnswerPart[],
): JsonObject[] {
  const { memory } = request.context;
  return parts.map((part, index) => {
    if (part.kind === "text") return { type: "text", text: part.text };
    if (part.kind === "thinking") {
      const signature = memory.seal("thinking", request.model.id, end.prefix, String(index), part.text);
      return { type: "thinking", thinking: part.text, signature };
    }
    return { type: "tool_use", id: part.id ?? memory.nextId("toolu_01"), name: part.name, input: part.input ?? {} };
  });
}

/** @param issuer `self`, or the name of another provider whose answer this is */
export function rememberThinking(
  request: AnthropicRequest,
  start: PrefixState,
  answer: readonly JsonObject[],
  issuer = "self",
): void {
  let state = start;
  for (const { block, segment } of messageSegments(readConversation([{ role: "assistant", content: answer }]))) {
    if (block !== null && isThinking(block) && asText(sealOf(block)) !== "") {
      const model = request.model.name;
      request.context.memory.thinking.set(sealOf(block), { issuer, model, ...state, answer, index: block.index });
    }
    state = stepOver(state, segment.text, block);
  }
}
