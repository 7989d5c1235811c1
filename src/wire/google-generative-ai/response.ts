/** Gemini, response side: JSON, SSE, and the JSON list that a stream without SSE is. */
import { readSseEvents } from "../../lib/sse.ts";
import { isObject, type JsonObject, listOf, stringOf } from "../request.ts";
import { NOTHING_SAID, type Usage, type WireResponse } from "../response.ts";
import { countOf, parseJsonObject, readErrorMember } from "../response-body.ts";
import type { ResponseBody } from "../wire-format.ts";

export function readGoogleResponse(response: ResponseBody): WireResponse {
  let said = NOTHING_SAID;
  const parts: JsonObject[] = [];
  for (const chunk of chunksOf(response)) {
    const candidate = listOf(chunk.candidates)[0];
    const { content, finishReason } = isObject(candidate) ? candidate : ({} as JsonObject);
    for (const part of listOf(isObject(content) ? content.parts : undefined)) addPart(parts, part);
    said = {
      ...said,
      id: said.id ?? (stringOf(chunk.responseId) || null),
      model: said.model ?? (stringOf(chunk.modelVersion) || null),
      usage: readUsage(chunk.usageMetadata) ?? said.usage,
      stopReason: stringOf(finishReason) || said.stopReason,
      error: said.error ?? readErrorMember(response.status, chunk),
    };
  }
  const whole = said.stopReason !== null && said.error === null && parts.length > 0;
  return whole ? { ...said, rows: [{ role: "model", parts }] } : said;
}

function chunksOf({ mediaType, bytes }: ResponseBody): readonly JsonObject[] {
  if (mediaType === "text/event-stream") {
    return readSseEvents(bytes)
      .map(({ data }) => parseJsonObject(data))
      .filter((chunk) => chunk !== null);
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter((chunk) => isObject(chunk));
  } catch {
    // A cut or garbled body is expected here: the client got it too, and we only look.
    return [];
  }
}

/** Pieces of one text come one by one; everything else is a part of its own. */
function addPart(parts: JsonObject[], part: unknown): void {
  if (!isObject(part)) return;
  const last = parts.at(-1);
  const goesOn = last !== undefined && isPlainText(last) && isPlainText(part) && last.thought === part.thought;
  if (goesOn) parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
  else parts.push(part);
}

function isPlainText(part: JsonObject): boolean {
  return typeof part.text === "string" && Object.keys(part).every((name) => name === "text" || name === "thought");
}

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const cacheReadTokens = countOf(usage.cachedContentTokenCount);
  return {
    inputTokens: Math.max(0, countOf(usage.promptTokenCount) - cacheReadTokens),
    cacheReadTokens,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: countOf(usage.candidatesTokenCount) + countOf(usage.thoughtsTokenCount),
  };
}
