/** Text and messages that hold nothing. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { blocksOf, isThinking, type Row } from "./conversation.ts";

const rule = "A-EMPTY-12";

export function* emptinessFindings(request: AnthropicRequest): Generator<Rejection> {
  const { body, conversation, model } = request;
  for (const block of blocksOf(body.system)) {
    if (Array.isArray(body.system) && isBlank(block.text)) yield blankText("system");
  }
  for (const [at, row] of conversation.rows.entries()) {
    const last = at === conversation.rows.length - 1;
    if (isEmpty(row) && row.role !== "system" && !(last && row.role === "assistant")) {
      yield {
        rule,
        message: `${row.path}: all messages must have non-empty content except for the optional final assistant message`,
      };
    }
    for (const [index, { type, block }] of row.blocks.entries()) {
      if (type !== "text" || !isBlank(block.text) || isEmpty(row)) continue;
      // A model that binds thinking itself separates thinking blocks with empty text and wants it back.
      if (model.bindsThinking && separatesThinking(row, index)) continue;
      yield blankText("messages");
    }
  }
}

function blankText(where: string): Rejection {
  return { rule, message: `${where}: text content blocks must contain non-whitespace text` };
}

function isBlank(text: unknown): boolean {
  return asText(text).trim() === "";
}

function isEmpty(row: Row): boolean {
  return row.blocks.length === 0 || row.message.content === "";
}

function separatesThinking(row: Row, index: number): boolean {
  const [before, after] = [row.blocks[index - 1], row.blocks[index + 1]];
  return before !== undefined && after !== undefined && isThinking(before) && isThinking(after);
}
