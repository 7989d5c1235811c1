/** Chat Completions, request side: OpenAI's own and every server that copies it. */
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

export function readChatRequest(body: JsonObject, known?: readonly Row[]): WireRequest {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    api: "openai-completions",
    body,
    model: typeof body.model === "string" ? body.model : null,
    rowsPath: "/messages",
    rows: readRows(messages, known, readRow),
    tools: readTools(listOf(body.tools)),
    anchor: null,
  };
}

export function recognisesChat(body: JsonObject): boolean {
  if (!Array.isArray(body.messages) || "input" in body || "contents" in body) return false;
  const tools = body.tools;
  if (Array.isArray(tools) && tools.some((tool) => isObject(tool) && isObject(tool.function))) return true;
  if ("stream_options" in body || "max_completion_tokens" in body || "reasoning_effort" in body) return true;
  return body.messages.some((row) => isObject(row) && (row.role === "tool" || Array.isArray(row.tool_calls)));
}

function readRow(value: unknown, index: number): Row {
  const path = `/messages/${index}`;
  const row = isObject(value) ? value : {};
  const role = isObject(value) ? readRole(row.role) : "other";
  const contentPath = `${path}/content`;
  const form = formOf(row.content);
  const place = { index, path, role, value: row, contentPath, form };
  if (role === "tool") return { ...place, blocks: [readResult(row, path), ...unknownParts(row.content, contentPath)] };
  const reasoning = role === "assistant" ? readReasoning(row, path) : [];
  return { ...place, blocks: [...reasoning, ...readContent(row.content, contentPath), ...readCalls(row, path)] };
}

function readRole(role: unknown): Role {
  if (role === "developer") return "system";
  return role === "system" || role === "user" || role === "assistant" || role === "tool" ? role : "other";
}

function formOf(content: unknown): Row["form"] {
  if (typeof content === "string") return "string";
  if (Array.isArray(content)) return "blocks";
  if (content === null) return "null";
  return content === undefined ? "absent" : "other";
}

/** A tool message is one result, whatever its content holds. */
function readResult(row: JsonObject, path: string): Block {
  return { kind: "result", path, value: row, callId: stringOf(row.tool_call_id), isError: false };
}

function unknownParts(content: unknown, path: string): Block[] {
  return readContent(content, path).filter((block) => block.kind === "opaque");
}

/** Members in which servers put the model's reasoning beside its words. */
export const REASONING_MEMBERS = ["reasoning_content", "reasoning", "thinking"] as const;

function readReasoning(row: JsonObject, path: string): Block[] {
  return REASONING_MEMBERS.flatMap((name): Block[] => {
    const text = row[name];
    return typeof text === "string"
      ? [{ kind: "thinking", path: `${path}/${name}`, value: text, text, seal: null }]
      : [];
  });
}

function readContent(content: unknown, path: string): Block[] {
  if (typeof content === "string") return [{ kind: "text", path, value: content, text: content }];
  if (Array.isArray(content)) return content.map((part, index) => readPart(part, `${path}/${index}`));
  if (content === null || content === undefined) return [];
  return [{ kind: "opaque", path, value: content, type: typeof content }];
}

const MEDIA = new Set(["image_url", "input_audio", "audio_url", "video_url", "video", "file", "document_url"]);

function readPart(value: unknown, path: string): Block {
  if (!isObject(value)) return { kind: "opaque", path, value, type: typeof value };
  const type = stringOf(value.type);
  if (type === "text") return { kind: "text", path, value, text: stringOf(value.text) };
  if (type === "refusal") return { kind: "text", path, value, text: stringOf(value.refusal) };
  if (type === "thinking") return { kind: "thinking", path, value, text: stringOf(value.thinking), seal: null };
  if (MEDIA.has(type)) return { kind: "media", path, value };
  return { kind: "opaque", path, value, type };
}

function readCalls(row: JsonObject, path: string): Block[] {
  const calls = Array.isArray(row.tool_calls) ? row.tool_calls : [];
  return calls.map((call, index) => readCall(call, `${path}/tool_calls/${index}`));
}

function readCall(value: unknown, path: string): Block {
  if (!isObject(value) || typeof value.id !== "string") return { kind: "opaque", path, value, type: "tool_call" };
  const place = { kind: "call", path, value, id: value.id } as const;
  if (isObject(value.function)) {
    return { ...place, name: stringOf(value.function.name), input: value.function.arguments };
  }
  if (isObject(value.custom)) return { ...place, name: stringOf(value.custom.name), input: value.custom.input };
  return { kind: "opaque", path, value, type: stringOf(value.type) };
}

const readTools = objectMemo((tools: readonly unknown[]): readonly ToolDefinition[] =>
  tools.map((tool, index) => {
    const inner = isObject(tool) ? (tool.function ?? tool.custom ?? tool) : {};
    return { name: isObject(inner) ? stringOf(inner.name) : "", path: `/tools/${index}` };
  }),
);
