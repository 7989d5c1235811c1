/** Responses, response side: JSON and SSE, joined into the output items that the client sends back. */
import { readSseEvents } from "../../lib/sse.ts";
import { isObject, type JsonObject, stringOf } from "../request.ts";
import { NOTHING_SAID, type ProviderError, type Usage, type WireResponse } from "../response.ts";
import { countOf, parseJsonObject, readDiagnosis, readErrorMember } from "../response-body.ts";
import type { ResponseBody } from "../wire-format.ts";

export function readResponsesResponse(response: ResponseBody): WireResponse {
  if (response.mediaType === "text/event-stream") return readStream(response);
  const body = parseJsonObject(response.bytes);
  if (body === null) return NOTHING_SAID;
  const error = readErrorMember(response.status, body);
  if (error !== null) return { ...NOTHING_SAID, id: stringOf(body.id) || null, error };
  return readResponse(body, itemsOf(body.output));
}

function readResponse(response: JsonObject, rows: readonly JsonObject[]): WireResponse {
  const incomplete = isObject(response.incomplete_details) ? stringOf(response.incomplete_details.reason) : "";
  return {
    id: stringOf(response.id) || null,
    model: stringOf(response.model) || null,
    usage: readUsage(response.usage),
    rows,
    stopReason: incomplete || stringOf(response.status) || null,
    diagnosis: readDiagnosis(response),
    error: null,
  };
}

const ENDS = new Set(["response.completed", "response.incomplete"]);

function readStream({ status, bytes }: ResponseBody): WireResponse {
  let response: JsonObject = {};
  let error: ProviderError | null = null;
  let whole = false;
  const items = new Map<number, JsonObject>();
  for (const { data } of readSseEvents(bytes)) {
    const event = parseJsonObject(data);
    if (event === null) continue;
    const type = stringOf(event.type);
    if (isObject(event.response)) response = event.response;
    if (type === "response.output_item.done" && isObject(event.item)) items.set(Number(event.output_index), event.item);
    if (ENDS.has(type)) whole = true;
    if (type === "response.failed") error = readErrorMember(status, response) ?? error;
    if (type === "error") error = readErrorMember(status, "error" in event ? event : { error: event });
  }
  // The last event of some servers comes without the items; those of a stream that was cut are not all.
  const told = itemsOf(response.output);
  const rows = told.length > 0 ? told : [...items.entries()].toSorted(([a], [b]) => a - b).map(([, item]) => item);
  return { ...readResponse(response, whole && error === null ? rows : []), error };
}

function itemsOf(output: unknown): readonly JsonObject[] {
  return Array.isArray(output) ? output.filter(isObject) : [];
}

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const cacheReadTokens = countOf(details.cached_tokens);
  const cacheWriteTokens = countOf(details.cache_write_tokens) || countOf(details.cache_creation_tokens);
  return {
    inputTokens: Math.max(0, countOf(usage.input_tokens) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    // Reasoning is counted in.
    outputTokens: countOf(usage.output_tokens),
  };
}
