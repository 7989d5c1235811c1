/** Bedrock Converse, request side. A block is an object with one member, which names its kind. */
import { objectMemo } from "../../lib/object-memo.ts";
import {
  type Block,
  isObject,
  type JsonObject,
  listOf,
  type Role,
  type Row,
  stringOf,
  type ToolDefinition,
  type WireRequest,
} from "../request.ts";
import { readRows } from "../row-memo.ts";

export function readConverseRequest(body: JsonObject, known?: readonly Row[]): WireRequest {
  return {
    api: "bedrock-converse-stream",
    body,
    // The model stands in the URL.
    model: typeof body.modelId === "string" ? body.modelId : null,
    rowsPath: "/messages",
    rows: readRows(listOf(body.messages), known, readMessage),
    tools: readTools(listOf(isObject(body.toolConfig) ? body.toolConfig.tools : undefined)),
    anchor: null,
  };
}

export function recognisesConverse(body: JsonObject): boolean {
  if (!Array.isArray(body.messages)) return false;
  if ("inferenceConfig" in body || "toolConfig" in body) return true;
  const first: unknown = isObject(body.messages[0]) ? body.messages[0].content : undefined;
  return Array.isArray(first) && isObject(first[0]) && !("type" in first[0]);
}

function readMessage(value: unknown, index: number): Row {
  const path = `/messages/${index}`;
  const row = isObject(value) ? value : {};
  const contentPath = `${path}/content`;
  const place = { index, path, role: readRole(row.role), value: row, contentPath };
  if (Array.isArray(row.content)) {
    const blocks = row.content.map((block, at) => readBlock(block, `${contentPath}/${at}`));
    return { ...place, form: "blocks", blocks };
  }
  const form = row.content === null ? "null" : row.content === undefined ? "absent" : "other";
  return { ...place, form, blocks: [] };
}

function readRole(role: unknown): Role {
  return role === "user" || role === "assistant" ? role : "other";
}

const MEDIA = ["image", "document", "video", "audio", "searchResult"];
const NOTES = ["cachePoint", "guardContent", "citationsContent"];

function readBlock(value: unknown, path: string): Block {
  if (!isObject(value)) return { kind: "opaque", path, value, type: typeof value };
  if (typeof value.text === "string") return { kind: "text", path, value, text: value.text };
  if (isObject(value.toolUse)) {
    const { toolUseId, name, input } = value.toolUse;
    return { kind: "call", path, value, id: stringOf(toolUseId), name: stringOf(name), input };
  }
  if (isObject(value.toolResult)) {
    const { toolUseId, status } = value.toolResult;
    return { kind: "result", path, value, callId: stringOf(toolUseId), isError: status === "error" };
  }
  if (isObject(value.reasoningContent)) return readReasoning(value, value.reasoningContent, path);
  if (MEDIA.some((name) => name in value)) return { kind: "media", path, value };
  const note = NOTES.find((name) => name in value);
  if (note !== undefined) return { kind: "note", path, value, type: note };
  return { kind: "opaque", path, value, type: Object.keys(value)[0] ?? "" };
}

function readReasoning(value: JsonObject, reasoning: JsonObject, path: string): Block {
  const { reasoningText, redactedContent } = reasoning;
  if (!isObject(reasoningText)) {
    return {
      kind: "thinking",
      path,
      value,
      text: "",
      seal: typeof redactedContent === "string" ? redactedContent : null,
    };
  }
  const seal = typeof reasoningText.signature === "string" ? reasoningText.signature : null;
  return { kind: "thinking", path, value, text: stringOf(reasoningText.text), seal };
}

const readTools = objectMemo((tools: readonly unknown[]): readonly ToolDefinition[] =>
  tools.flatMap((tool, index) =>
    isObject(tool) && isObject(tool.toolSpec)
      ? [{ name: stringOf(tool.toolSpec.name), path: `/toolConfig/tools/${index}/toolSpec` }]
      : [],
  ),
);
