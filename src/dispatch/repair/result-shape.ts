/** How each api that pairs turn by turn writes the result of a call, and what is left of one that cannot stay. */
import type { Api } from "../../wire/api.ts";
import { isObject, type JsonObject, listOf, stringOf, type ToolCall, type ToolResult } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import { noResultText } from "./wording.ts";

export interface ResultShape {
  /** Says that a call has none. */
  noResult(call: ToolCall): unknown;
  /** What a result says, to compare it with another. */
  contentOf(result: ToolResult): unknown;
  /** A result as blocks of the user: its words in a frame, its other parts as they are. */
  asText(result: ToolResult, frame: (words: string) => string): unknown[];
}

export function resultShapeOf(api: Api): ResultShape {
  return api === "bedrock-converse-stream" ? converse : anthropic;
}

const anthropic: ResultShape = {
  noResult: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: noResultText, is_error: true }),
  contentOf: ({ value }) => (value as JsonObject).content,
  asText(result, frame) {
    const content = anthropic.contentOf(result);
    const parts = Array.isArray(content) ? content : [{ type: "text", text: stringOf(content) }];
    const words = parts.map((part) => (isObject(part) && part.type === "text" ? stringOf(part.text) : ""));
    const media = parts.flatMap((part, index) =>
      isObject(part) && part.type !== "text" ? [lift(`${result.path}/content/${index}`)] : [],
    );
    const text = { type: "text", text: frame(joined(words)) };
    const marked = isObject((result.value as JsonObject).cache_control);
    return [marked ? { ...text, cache_control: lift(`${result.path}/cache_control`) } : text, ...media];
  },
};

const converse: ResultShape = {
  noResult: ({ id }) => ({
    toolResult: { toolUseId: id, content: [{ text: noResultText }], status: "error" },
  }),
  contentOf: ({ value }) => ((value as JsonObject).toolResult as JsonObject).content,
  asText(result, frame) {
    const parts = listOf(converse.contentOf(result));
    const words = parts.map((part) => (isObject(part) ? (wordsIn(part) ?? "") : ""));
    const others = parts.flatMap((part, index) =>
      isObject(part) && wordsIn(part) === null ? [lift(`${result.path}/toolResult/content/${index}`)] : [],
    );
    return [{ text: frame(joined(words)) }, ...others];
  },
};

/** JSON is a kind of content that only a result may have. */
function wordsIn(part: JsonObject): string | null {
  if (typeof part.text === "string") return part.text;
  return "json" in part ? JSON.stringify(part.json) : null;
}

function joined(words: readonly string[]): string {
  return words.filter((text) => text !== "").join("\n");
}
