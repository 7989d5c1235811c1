/** What a message may hold, and names in the tool list. */
import { asList, asObject, asObjects, asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { ChatRequest, ChatRow } from "./chat-request.ts";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

export function* contentFindings(request: ChatRequest): Generator<Rejection> {
  yield* toolFindings(request);
  for (const row of request.rows) {
    yield* nullFindings(request, row);
    if (request.backend === "moonshot") yield* emptyFindings(row);
  }
}

function* toolFindings({ body, backend, rows }: ChatRequest): Generator<Rejection> {
  for (const [at, tool] of asObjects(body.tools).entries()) {
    const name = asText(asObject(tool.function).name);
    if (tool.type !== "function" || toolName.test(name)) continue;
    yield {
      rule: "C-NAME-4",
      message: `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param: `tools[${at}].function.name`,
      code: "invalid_value",
    };
  }
  if (backend !== "openai") return;
  if (Array.isArray(body.tools) && body.tools.length === 0) yield emptyArray("C-EMPTYTOOLS-5", "tools");
  for (const { at, message } of rows) {
    const calls = message.tool_calls;
    if (Array.isArray(calls) && calls.length === 0) yield emptyArray("C-EMPTYTOOLS-5", `messages[${at}].tool_calls`);
  }
}

/** With calls, null is legal on OpenAI; servers that hand the value to a typed language or a template refuse it. */
function* nullFindings({ backend }: ChatRequest, { at, role, message, calls }: ChatRow): Generator<Rejection> {
  const { content } = message;
  if (Array.isArray(content) && content.length === 0) yield emptyArray("C-NULL-3", `messages[${at}].content`);
  if (content !== undefined && content !== null) return;
  if (backend === "ollama") yield { rule: "K-OLL-5", message: "invalid message content type: <nil>" };
  const speaksOtherwise =
    calls.length > 0 || message.refusal != null || message.audio != null || message.function_call != null;
  if (role === "assistant" && speaksOtherwise && backend !== "lmstudio") return;
  yield {
    rule: "C-NULL-3",
    message: "Invalid value for 'content': expected a string, got null.",
    param: `messages.[${at}].content`,
  };
}

function* emptyFindings({ at, role, message, calls }: ChatRow): Generator<Rejection> {
  const { content } = message;
  if (role === "assistant" && calls.length === 0 && content === "") {
    yield {
      rule: "K-KIMI-2",
      message: `Invalid request: the message at position ${at} with role 'assistant' must not be empty`,
    };
  }
  if (asList(content).some((part) => asObject(part).type === "text" && asObject(part).text === "")) {
    yield { rule: "K-KIMI-2", message: "Invalid request: text content is empty" };
  }
}

function emptyArray(rule: string, path: string): Rejection {
  return {
    rule,
    message: `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param: path,
    code: "empty_array",
  };
}
