/** Bedrock Converse, response side: JSON, and the binary event stream of `ConverseStream`. */
import { isObject, type JsonObject, stringOf } from "../request.ts";
import { NOTHING_SAID, type ProviderError, type Usage, type WireResponse } from "../response.ts";
import { countOf, parseJsonObject, readErrorMember } from "../response-body.ts";
import type { ResponseBody } from "../wire-format.ts";
import { type EventFrame, readEventFrames } from "./event-frames.ts";

export function readConverseResponse(response: ResponseBody): WireResponse {
  if (response.mediaType === "application/vnd.amazon.eventstream") return readStream(response);
  const body = parseJsonObject(response.bytes);
  if (body === null) return NOTHING_SAID;
  const error = readErrorMember(response.status, body);
  if (error !== null) return { ...NOTHING_SAID, error };
  const message = isObject(body.output) ? body.output.message : undefined;
  return {
    ...NOTHING_SAID,
    usage: readUsage(body.usage),
    rows: isObject(message) ? [message] : [],
    stopReason: stringOf(body.stopReason) || null,
  };
}

/** The blocks of an answer by their index, as their pieces come in. */
interface JoinedMessage {
  role: string;
  readonly blocks: Map<number, JoinedBlock>;
}

interface JoinedBlock {
  text: string;
  reasoning: string;
  signature: string;
  redacted: string;
  toolUse: JsonObject | null;
  input: string;
}

function readStream({ status, bytes }: ResponseBody): WireResponse {
  const joined: JoinedMessage = { role: "assistant", blocks: new Map() };
  let said: WireResponse = NOTHING_SAID;
  for (const frame of readEventFrames(bytes)) {
    addFrame(joined, frame);
    const { type, payload } = frame;
    said = {
      ...said,
      usage: readUsage(payload.usage) ?? said.usage,
      stopReason: stringOf(payload.stopReason) || said.stopReason,
      error: type.endsWith("Exception") ? errorOf(status, type, payload) : said.error,
    };
  }
  if (said.stopReason === null || said.error !== null) return said;
  const content = [...joined.blocks].toSorted(([a], [b]) => a - b).map(([, block]) => blockOf(block));
  return { ...said, rows: [{ role: joined.role, content }] };
}

function errorOf(status: number, code: string, payload: JsonObject): ProviderError {
  return { status, code, message: stringOf(payload.message) };
}

function addFrame({ blocks }: JoinedMessage, { payload }: EventFrame): void {
  const index = payload.contentBlockIndex;
  if (typeof index !== "number") return;
  const block = blocks.get(index) ?? { text: "", reasoning: "", signature: "", redacted: "", toolUse: null, input: "" };
  blocks.set(index, block);
  const { start, delta } = payload;
  if (isObject(start) && isObject(start.toolUse)) block.toolUse = start.toolUse;
  if (!isObject(delta)) return;
  block.text += stringOf(delta.text);
  if (isObject(delta.toolUse)) block.input += stringOf(delta.toolUse.input);
  if (!isObject(delta.reasoningContent)) return;
  block.reasoning += stringOf(delta.reasoningContent.text);
  block.signature += stringOf(delta.reasoningContent.signature);
  block.redacted += stringOf(delta.reasoningContent.redactedContent);
}

function blockOf({ text, reasoning, signature, redacted, toolUse, input }: JoinedBlock): JsonObject {
  if (toolUse !== null) return { toolUse: { ...toolUse, input: parseJsonObject(input) ?? {} } };
  if (redacted !== "") return { reasoningContent: { redactedContent: redacted } };
  if (reasoning === "" && signature === "") return { text };
  return { reasoningContent: { reasoningText: { text: reasoning, ...(signature === "" ? {} : { signature }) } } };
}

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  return {
    inputTokens: countOf(usage.inputTokens),
    cacheReadTokens: countOf(usage.cacheReadInputTokens),
    cacheWriteTokens: countOf(usage.cacheWriteInputTokens),
    cacheWrite1hTokens: 0,
    outputTokens: countOf(usage.outputTokens),
  };
}
