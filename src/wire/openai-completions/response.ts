/** Chat Completions, response side: JSON and SSE, joined into the assistant message of the next request. */
import { readSseEvents } from "../../lib/sse.ts";
import { isObject, type JsonObject, stringOf } from "../request.ts";
import { NOTHING_SAID, type ProviderError, type Usage, type WireResponse } from "../response.ts";
import { countOf, parseJsonObject, readDiagnosis, readErrorMember } from "../response-body.ts";
import type { ResponseBody } from "../wire-format.ts";
import { REASONING_MEMBERS } from "./request.ts";

export function readChatResponse(response: ResponseBody): WireResponse {
  if (response.mediaType === "text/event-stream") return readStream(response);
  const body = parseJsonObject(response.bytes);
  if (body === null) return NOTHING_SAID;
  const error = readErrorMember(response.status, body);
  if (error !== null) return { ...NOTHING_SAID, error };
  const choice = firstChoice(body);
  return {
    id: stringOf(body.id) || null,
    model: stringOf(body.model) || null,
    usage: readUsage(body.usage),
    rows: isObject(choice.message) ? [choice.message] : [],
    stopReason: stringOf(choice.finish_reason) || null,
    diagnosis: readDiagnosis(body),
    error: null,
  };
}

interface JoinedMessage {
  content: string | null;
  readonly reasoning: Map<string, string>;
  readonly calls: Map<number, JoinedCall>;
}

interface JoinedCall {
  id: string;
  type: string;
  name: string;
  arguments: string;
}

function readStream(response: ResponseBody): WireResponse {
  const joined: JoinedMessage = { content: null, reasoning: new Map(), calls: new Map() };
  let error: ProviderError | null = null;
  let said: Pick<WireResponse, "id" | "model" | "usage" | "stopReason" | "diagnosis"> = NOTHING_SAID;
  for (const { data } of readSseEvents(response.bytes)) {
    const chunk = parseJsonObject(data);
    if (chunk === null) continue;
    error ??= readErrorMember(response.status, chunk);
    const choice = firstChoice(chunk);
    applyDelta(joined, choice.delta);
    said = {
      id: said.id ?? (stringOf(chunk.id) || null),
      model: said.model ?? (stringOf(chunk.model) || null),
      // OpenAI sends a last chunk without choices, Moonshot counts in the choice, Groq in a member of its own.
      usage: readUsage(chunk.usage ?? choice.usage ?? groqUsage(chunk)) ?? said.usage,
      stopReason: stringOf(choice.finish_reason) || said.stopReason,
      diagnosis: readDiagnosis(chunk) ?? said.diagnosis,
    };
  }
  const whole = said.stopReason !== null && error === null;
  return { ...said, rows: whole ? [messageOf(joined)] : [], error };
}

function firstChoice(body: JsonObject): JsonObject {
  const choices = Array.isArray(body.choices) ? body.choices : [];
  return isObject(choices[0]) ? choices[0] : {};
}

function groqUsage(chunk: JsonObject): unknown {
  return isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
}

function applyDelta(joined: JoinedMessage, delta: unknown): void {
  if (!isObject(delta)) return;
  if (typeof delta.content === "string") joined.content = (joined.content ?? "") + delta.content;
  for (const name of REASONING_MEMBERS) {
    const text = delta[name];
    if (typeof text === "string") joined.reasoning.set(name, (joined.reasoning.get(name) ?? "") + text);
  }
  for (const [at, call] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries()) {
    if (isObject(call)) applyCallDelta(joined.calls, call, at);
  }
}

function applyCallDelta(calls: Map<number, JoinedCall>, delta: JsonObject, at: number): void {
  const index = typeof delta.index === "number" ? delta.index : at;
  const call = calls.get(index) ?? { id: "", type: "function", name: "", arguments: "" };
  calls.set(index, call);
  call.id ||= stringOf(delta.id);
  call.type = stringOf(delta.type) || call.type;
  const inner = isObject(delta.function) ? delta.function : isObject(delta.custom) ? delta.custom : {};
  call.name += stringOf(inner.name);
  call.arguments += stringOf(inner.arguments) + stringOf(inner.input);
}

function messageOf({ content, reasoning, calls }: JoinedMessage): JsonObject {
  const toolCalls = [...calls.values()].map(({ id, type, name, arguments: text }) =>
    type === "custom" ? { id, type, custom: { name, input: text } } : { id, type, function: { name, arguments: text } },
  );
  // Streams open with an empty word; in front of calls the JSON answer and the client say null for it.
  const said = content === "" && toolCalls.length > 0 ? null : content;
  return {
    role: "assistant",
    content: said,
    ...Object.fromEntries(reasoning),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
}

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cacheReadTokens =
    countOf(details.cached_tokens) || countOf(usage.prompt_cache_hit_tokens) || countOf(usage.cached_tokens);
  const cacheWriteTokens = countOf(details.cache_write_tokens) || countOf(details.cache_creation_tokens);
  return {
    inputTokens: Math.max(0, countOf(usage.prompt_tokens) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    outputTokens: countOf(usage.completion_tokens),
  };
}
