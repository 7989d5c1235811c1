/** Why the cache could not serve a request, told by comparing it with the one that the client names. */
import { asObject, asText, isObject, type JsonObject } from "../json-value.ts";
import type { PromptSegment } from "../meter/marked-cache.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import type { PromptPrint } from "../provider-memory.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { messageSegments, systemSegments, toolSegments } from "./prompt-segments.ts";

/** @returns the `diagnostics` member of the answer; undefined where the request asks for none */
export function diagnose(request: AnthropicRequest, id: string): JsonObject | null | undefined {
  const { body, context } = request;
  const print = printOf(request);
  context.memory.prints.set(id, print);
  if (!isObject(body.diagnostics)) return undefined;
  const previousId = asText(body.diagnostics.previous_message_id);
  if (previousId === "") return null;
  const previous = context.memory.prints.get(previousId);
  if (previous === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } };
  const reason = reasonOf(previous, print);
  return reason === null ? null : { cache_miss_reason: reason };
}

function printOf(request: AnthropicRequest): PromptPrint {
  const { body, conversation, model } = request;
  const messages = [...messageSegments(conversation)].map((one) => one.segment);
  return {
    fields: {
      model: `${model.id} ${asText(body.speed)}`,
      system: textOf(systemSegments(body)),
      tools: textOf(toolSegments(body)),
      settings: JSON.stringify([body.thinking, body.tool_choice, asObject(body.output_config).effort]),
    },
    items: messages.map((one) => one.text),
  };
}

function reasonOf(previous: PromptPrint, now: PromptPrint): JsonObject | null {
  const kept = previous.items.findIndex((text, at) => text !== now.items[at]);
  const changed = (name: string) => previous.fields[name] !== now.fields[name];
  const messages = previous.items.map(promptTokens);
  const inMessages = messages.reduce((sum, tokens) => sum + tokens, 0);
  const inSystem = promptTokens(previous.fields.system ?? "");
  const inTools = promptTokens(previous.fields.tools ?? "");
  const whole = inTools + inSystem + inMessages;
  if (changed("model")) return { type: "model_changed", cache_missed_input_tokens: whole };
  if (changed("tools")) return { type: "tools_changed", cache_missed_input_tokens: whole };
  if (changed("system")) return { type: "system_changed", cache_missed_input_tokens: inSystem + inMessages };
  if (changed("settings")) return { type: "unavailable" };
  if (kept < 0) return null;
  const missed = messages.slice(kept).reduce((sum, tokens) => sum + tokens, 0);
  return { type: "messages_changed", cache_missed_input_tokens: missed };
}

function textOf(segments: readonly PromptSegment[]): string {
  return segments.map((one) => one.text).join("\n");
}
