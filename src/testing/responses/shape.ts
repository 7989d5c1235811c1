/** Members of single items: lengths, patterns, and text that the server keeps for itself. */
import { asObjects, asText, stringsOf } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";

const callIdCharsMax = 64;
const namePattern = /^[a-zA-Z0-9_-]+$/;
/** Tokens of the chat format that the models speak: text that holds one could speak in the server's name. */
const controlToken = /<\|(?:start|end|message|channel|constrain|return|call)\|>/;

export function* shapeFindings({ body, items }: ResponsesRequest): Generator<Rejection> {
  if (typeof body.model !== "string") {
    yield {
      rule: "schema",
      message: "Missing required parameter: 'model'.",
      param: "model",
      code: "missing_required_parameter",
    };
  }
  for (const [at, tool] of asObjects(body.tools).entries()) {
    if (tool.type === "function" && !namePattern.test(asText(tool.name))) yield badName(`tools[${at}]`);
  }
  for (const { path, type, item } of items) {
    const callId = asText(item.call_id);
    if (callId.length > callIdCharsMax) yield tooLong(`${path}.call_id`, callId.length);
    if (type === "function_call" && !namePattern.test(asText(item.name))) yield badName(path);
    yield* partFindings({ path, type, item });
    yield* reasoningContentFindings({ path, type, item });
    if (type !== "reasoning" && type !== "compaction") yield* tokenFindings(item);
  }
}

function* partFindings({ path, type, item }: InputItem): Generator<Rejection> {
  if (type !== "message" || item.role !== "assistant") return;
  const at = asObjects(item.content).findIndex((part) => part.type === "input_text");
  if (at === -1) return;
  yield {
    rule: "R-PART-16",
    message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    param: `${path}.content[${at}]`,
    code: "invalid_value",
  };
}

/** Reasoning text belongs to other servers; OpenAI's own items carry a summary and a seal. */
function* reasoningContentFindings({ path, type, item }: InputItem): Generator<Rejection> {
  if (type !== "reasoning" || !Array.isArray(item.content) || item.content.length === 0) return;
  yield {
    rule: "R-RCONT-11",
    message:
      `Invalid '${path}.content': array too long. Expected an array with maximum length 0, but got an array with ` +
      `length ${item.content.length} instead.`,
    param: `${path}.content`,
    code: "array_above_max_length",
  };
}

function* tokenFindings(item: InputItem["item"]): Generator<Rejection> {
  for (const text of stringsOf(item)) {
    if (!controlToken.test(text)) continue;
    yield {
      rule: "R-TOK-14",
      message: "Invalid prompt: the input holds reserved control tokens.",
      code: "invalid_prompt",
    };
    return;
  }
}

function badName(path: string): Rejection {
  return {
    rule: "R-NAME-9",
    message: `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    param: `${path}.name`,
    code: "invalid_value",
  };
}

function tooLong(path: string, length: number): Rejection {
  return {
    rule: "R-LEN-7",
    message:
      `Invalid '${path}': string too long. Expected a string with maximum length ${callIdCharsMax}, but got a string ` +
      `with length ${length} instead.`,
    param: path,
    code: "string_above_max_length",
  };
}
