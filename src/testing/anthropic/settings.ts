/** Members outside the conversation: required ones, text that cannot be decoded, forced tool choice, thinking controls. */
import { asObject, stringsOf } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";

const messagesMax = 100_000;
export const bindingBeta = "thinking-binding-controls-2026-08-01";

export function* settingsFindings(request: AnthropicRequest): Generator<Rejection> {
  yield* encodingFindings(request.body);
  yield* requiredFindings(request);
  yield* toolChoiceFindings(request);
  yield* blockBindingFindings(request);
}

function* encodingFindings(body: unknown): Generator<Rejection> {
  for (const text of stringsOf(body)) {
    if (!text.isWellFormed()) {
      yield badJson("no low surrogate in string");
      return;
    }
    if (text.includes("\0")) {
      yield badJson("unexpected end of data");
      return;
    }
  }
}

function badJson(problem: string): Rejection {
  return { rule: "A-UTF-15", message: `The request body is not valid JSON: ${problem}: line 1 column 1 (char 0)` };
}

function* requiredFindings({ body, conversation }: AnthropicRequest): Generator<Rejection> {
  if (typeof body.model !== "string") yield { rule: "schema", message: "model: Field required" };
  if (!Array.isArray(body.messages)) yield { rule: "schema", message: "messages: Field required" };
  else if (body.messages.length === 0) {
    yield { rule: "schema", message: "messages: at least one message is required" };
  }
  if (conversation.rows.length > messagesMax) {
    yield { rule: "A-MAX-30", message: `messages: List should have at most ${messagesMax} items after validation` };
  }
}

function* toolChoiceFindings({ body, model }: AnthropicRequest): Generator<Rejection> {
  const choice = asObject(body.tool_choice).type;
  if (choice !== "tool" && choice !== "any") return;
  if ((model.line === "fable" || model.line === "mythos") && model.version >= 5.1) {
    yield {
      rule: "A-FORCE-20",
      message: 'tool_choice: type "tool" and "any" are not supported for this model',
    };
  }
  if (asObject(body.thinking).type === "enabled") {
    yield { rule: "A-FORCE-20", message: "Thinking may not be enabled when tool_choice forces tool use." };
  }
}

/** The field belongs to a beta: without its header the schema does not know it. */
function* blockBindingFindings({ body, betas }: AnthropicRequest): Generator<Rejection> {
  const thinking = asObject(body.thinking);
  if (thinking.block_binding !== undefined && !betas.has(bindingBeta)) {
    yield {
      rule: "A-PREFIX-19",
      message: `thinking.${String(thinking.type)}.block_binding: Extra inputs are not permitted`,
    };
  }
}
