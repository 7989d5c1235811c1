/** Reasoning text in the history: some servers insist on it, others have never heard of it. */
import { asObject } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { ChatRequest } from "./chat-request.ts";

export function* reasoningFindings(request: ChatRequest): Generator<Rejection> {
  if (request.backend === "deepseek") yield* deepseekFindings(request);
  if (request.backend === "moonshot") yield* kimiFindings(request);
  if (request.backend === "groq" || request.backend === "cerebras") yield* strictSchemaFindings(request);
  if (request.backend === "ollama") yield* ollamaFindings(request);
}

function* deepseekFindings({ body, model, rows }: ChatRequest): Generator<Rejection> {
  if (!thinks(body, /reasoner|r1|v4/.test(model))) return;
  for (const { at, calls, message } of rows) {
    if (calls.length === 0) continue;
    if (message.reasoning_content === undefined || message.reasoning_content === null) {
      yield {
        rule: "K-DS-1",
        message: `Missing \`reasoning_content\` field in the assistant message at message index ${at}`,
      };
    }
    // A place holder was seen refused by V4; an empty string passes.
    if (message.reasoning_content === "." && model.includes("v4")) {
      yield { rule: "K-DS-1", message: "The `reasoning_content` in the thinking mode must be passed back to the API." };
    }
  }
}

function* kimiFindings({ body, model, rows }: ChatRequest): Generator<Rejection> {
  if (!thinks(body, /thinking|k2\.[5-9]|k[3-9]/.test(model))) return;
  for (const { at, calls, message } of rows) {
    if (calls.length === 0 || typeof message.reasoning_content === "string") continue;
    yield {
      rule: "K-KIMI-2",
      message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
    };
  }
  if (asObject(body.tool_choice).type === "function") {
    yield { rule: "K-KIMI-2", message: "tool_choice 'specified' is incompatible with thinking enabled" };
  }
}

function* strictSchemaFindings({ rows }: ChatRequest): Generator<Rejection> {
  for (const { at, role, message } of rows) {
    if (!Object.hasOwn(message, "reasoning_content")) continue;
    yield {
      rule: "K-GROQ-4",
      message:
        `'messages.${at}' : for 'role:${role}' the following must be satisfied[('messages.${at}' : property ` +
        "'reasoning_content' is unsupported)]",
    };
  }
}

function* ollamaFindings({ model, rows }: ChatRequest): Generator<Rejection> {
  if (!model.endsWith("cloud")) return;
  for (const { message } of rows) {
    if (message.thinking !== undefined) yield { rule: "K-OLL-5", message: "unknown field: thinking" };
  }
}

function thinks(body: Readonly<Record<string, unknown>>, byModel: boolean): boolean {
  const asked = asObject(body.thinking).type;
  return asked === "enabled" || (asked !== "disabled" && byModel);
}
