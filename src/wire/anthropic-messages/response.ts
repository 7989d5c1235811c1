/** Anthropic Messages, response side: JSON and SSE, joined into what the client sends back on the next turn. */
import { readSseEvents } from "../../lib/sse.ts";
import { isObject, type JsonObject, stringOf } from "../request.ts";
import { NOTHING_SAID, type ProviderError, type Usage, type WireResponse } from "../response.ts";
import { countOf, parseJsonObject, readDiagnosis, readErrorMember } from "../response-body.ts";
import type { ResponseBody } from "../wire-format.ts";

export function readAnthropicResponse(response: ResponseBody): WireResponse {
  if (response.mediaType === "text/event-stream") return readStream(response);
  const body = parseJsonObject(response.bytes);
  if (body === null) return NOTHING_SAID;
  const error = readErrorMember(response.status, body);
  return error === null ? readMessage(body, true) : { ...NOTHING_SAID, error };
}

function readMessage(message: JsonObject, whole: boolean): WireResponse {
  return {
    id: stringOf(message.id) || null,
    model: stringOf(message.model) || null,
    usage: readUsage(message.usage),
    rows: whole && Array.isArray(message.content) ? [{ role: "assistant", content: message.content }] : [],
    stopReason: stringOf(message.stop_reason) || null,
    diagnosis: readDiagnosis(message),
    error: null,
  };
}

function readStream(response: ResponseBody): WireResponse {
  let message: Record<string, unknown> | null = null;
  let error: ProviderError | null = null;
  let whole = false;
  const content: Record<string, unknown>[] = [];
  for (const { data } of readSseEvents(response.bytes)) {
    const event = parseJsonObject(data);
    if (event === null) continue;
    const type = event.type;
    if (type === "message_start" && isObject(event.message)) message = { ...event.message };
    if (type === "content_block_start" && isObject(event.content_block)) content.push({ ...event.content_block });
    if (type === "content_block_delta") applyDelta(content[Number(event.index)], event.delta);
    if (type === "content_block_stop") closeBlock(content[Number(event.index)]);
    if (type === "message_delta" && message !== null) applyMessageDelta(message, event);
    if (type === "message_stop") whole = true;
    if (type === "error") error = readErrorMember(response.status, event);
  }
  if (message === null) return { ...NOTHING_SAID, error };
  message.content = content;
  return { ...readMessage(message, whole && error === null), error };
}

/** Partial arguments are collected under a name that no provider uses. */
const PARTIAL = Symbol("partial arguments");

function applyDelta(block: Record<string | symbol, unknown> | undefined, delta: unknown): void {
  if (block === undefined || !isObject(delta)) return;
  if (delta.type === "text_delta") block.text = stringOf(block.text) + stringOf(delta.text);
  if (delta.type === "thinking_delta") block.thinking = stringOf(block.thinking) + stringOf(delta.thinking);
  if (delta.type === "signature_delta") block.signature = stringOf(block.signature) + stringOf(delta.signature);
  if (delta.type === "input_json_delta") block[PARTIAL] = stringOf(block[PARTIAL]) + stringOf(delta.partial_json);
}

function closeBlock(block: Record<string | symbol, unknown> | undefined): void {
  const partial = block?.[PARTIAL];
  if (block === undefined || typeof partial !== "string") return;
  block.input = parseJsonObject(partial) ?? {};
  delete block[PARTIAL];
}

function applyMessageDelta(message: Record<string, unknown>, event: JsonObject): void {
  if (isObject(event.delta)) Object.assign(message, event.delta);
  const before = isObject(message.usage) ? message.usage : {};
  if (isObject(event.usage)) message.usage = { ...before, ...withoutNulls(event.usage) };
}

function withoutNulls(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
}

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const split = isObject(usage.cache_creation) ? usage.cache_creation : {};
  return {
    inputTokens: countOf(usage.input_tokens),
    cacheReadTokens: countOf(usage.cache_read_input_tokens),
    cacheWriteTokens: countOf(usage.cache_creation_input_tokens),
    cacheWrite1hTokens: countOf(split.ephemeral_1h_input_tokens),
    outputTokens: countOf(usage.output_tokens),
  };
}
