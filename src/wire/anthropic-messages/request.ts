/** Anthropic Messages, request side (also Vertex, Bedrock InvokeModel and the servers that copy the format). */

import { objectMemo } from "../../lib/object-memo.ts";
import {
  type Anchor,
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
import { readRows, searchRows } from "../row-memo.ts";

export function readAnthropicRequest(body: JsonObject, known?: readonly Row[]): WireRequest {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const rows = readRows(messages, known, readRow);
  return {
    api: "anthropic-messages",
    body,
    model: typeof body.model === "string" ? body.model : null,
    rowsPath: "/messages",
    rows,
    tools: [...readTools(listOf(body.tools)), ...addedToolsOf(rows)],
    anchor: readAnchor(body.thread),
  };
}

export function recognisesAnthropic(body: JsonObject): boolean {
  if (!Array.isArray(body.messages) || "input" in body || "contents" in body) return false;
  const tools = body.tools;
  if (Array.isArray(tools) && tools.some((tool) => isObject(tool) && "input_schema" in tool)) return true;
  if ("system" in body || "thread" in body || "anthropic_version" in body) return !bedrockLike(body);
  return body.messages.some(
    (row) => isObject(row) && Array.isArray(row.content) && row.content.some(isAnthropicOnlyBlock),
  );
}

function readRow(value: unknown, index: number): Row {
  const path = `/messages/${index}`;
  const row = isObject(value) ? value : {};
  const content = row.content;
  const contentPath = `${path}/content`;
  const place = { index, path, role: readRole(row.role), value: row, contentPath };
  if (typeof content === "string") {
    return { ...place, form: "string", blocks: [{ kind: "text", path: contentPath, value: content, text: content }] };
  }
  if (Array.isArray(content)) {
    return { ...place, form: "blocks", blocks: content.map((block, at) => readBlock(block, `${contentPath}/${at}`)) };
  }
  const form = content === null ? "null" : content === undefined ? "absent" : "other";
  return { ...place, form, blocks: [] };
}

function readRole(role: unknown): Role {
  return role === "user" || role === "assistant" || role === "system" ? role : "other";
}

const MEDIA = new Set(["image", "document", "search_result", "container_upload"]);
const NOTES = new Set(["tool_addition", "tool_removal", "compaction"]);

function readBlock(value: unknown, path: string): Block {
  if (!isObject(value)) return { kind: "opaque", path, value, type: typeof value };
  const type = stringOf(value.type);
  switch (type) {
    case "text":
      return { kind: "text", path, value, text: stringOf(value.text) };
    case "tool_use":
      return {
        kind: "call",
        path,
        value,
        id: stringOf(value.id),
        name: stringOf(value.name),
        input: value.input,
      };
    case "tool_result":
      return {
        kind: "result",
        path,
        value,
        callId: stringOf(value.tool_use_id),
        isError: value.is_error === true,
      };
    case "thinking":
      return { kind: "thinking", path, value, text: stringOf(value.thinking), seal: sealOf(value.signature) };
    case "redacted_thinking":
      return { kind: "thinking", path, value, text: "", seal: sealOf(value.data) };
    case "server_tool_use":
    case "mcp_tool_use":
      return { kind: "server-call", path, value, id: stringOf(value.id) };
    default:
      if (MEDIA.has(type)) return { kind: "media", path, value };
      if (NOTES.has(type)) return { kind: "note", path, value, type };
      if (type.endsWith("_tool_result"))
        return { kind: "server-result", path, value, callId: stringOf(value.tool_use_id) };
      return { kind: "opaque", path, value, type };
  }
}

function sealOf(seal: unknown): string | null {
  return typeof seal === "string" ? seal : null;
}

const readTools = objectMemo((tools: readonly unknown[]): readonly ToolDefinition[] =>
  tools.map((tool, index) => ({ name: isObject(tool) ? stringOf(tool.name) : "", path: `/tools/${index}` })),
);

const addedToolsOf = searchRows(addedTools);

/** Tools that a `tool_addition` block brings into the conversation without touching `tools`. */
function addedTools(row: Row): ToolDefinition[] {
  return row.blocks.flatMap((block) => {
    if (block.kind !== "note" || block.type !== "tool_addition" || !isObject(block.value)) return [];
    const tool = block.value.tool;
    const definition = isObject(tool) && isObject(tool.definition) ? tool.definition : tool;
    return isObject(definition) ? [{ name: stringOf(definition.name), path: block.path }] : [];
  });
}

function readAnchor(thread: unknown): Anchor | null {
  if (!isObject(thread) || thread.type !== "continue") return null;
  const id = thread.previous_message_id;
  return { kind: "thread", path: "/thread", id: typeof id === "string" ? id : null };
}

function isAnthropicOnlyBlock(block: unknown): boolean {
  return isObject(block) && ["tool_use", "tool_result", "thinking", "redacted_thinking"].includes(stringOf(block.type));
}

/** Bedrock Converse keeps `system` as a list of `{text}` without a type. */
function bedrockLike(body: JsonObject): boolean {
  const first = Array.isArray(body.system) ? body.system[0] : undefined;
  return isObject(first) && !("type" in first);
}
