/** Responses, request side: OpenAI's own, Azure's, and the ChatGPT back end of Codex. One item is one row. */
import { objectMemo } from "../../lib/object-memo.ts";
import type { Api } from "../api.ts";
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

export function readResponsesRequest(api: Api, body: JsonObject, known?: readonly Row[]): WireRequest {
  const rows = Array.isArray(body.input) ? readRows(body.input, known, readItem) : readText(body.input);
  return {
    api,
    body,
    model: typeof body.model === "string" ? body.model : null,
    rowsPath: "/input",
    rows,
    tools: [...listedTools(listOf(body.tools)), ...addedToolsOf(rows)],
    anchor: readAnchor(body) ?? referencesIn(rows)[0] ?? null,
  };
}

export function recognisesResponses(body: JsonObject): boolean {
  return "input" in body || "previous_response_id" in body;
}

/** `input` may be the words of one user message. */
function readText(input: unknown): Row[] {
  if (typeof input !== "string") return [];
  const place = { index: 0, path: "/input", value: {}, contentPath: "/input" };
  const block: Block = { kind: "text", path: "/input", value: input, text: input };
  return [{ ...place, role: "user", form: "string", blocks: [block] }];
}

function readItem(value: unknown, index: number): Row {
  const path = `/input/${index}`;
  if (!isObject(value)) {
    const block: Block = { kind: "opaque", path, value, type: typeof value };
    return { index, path, role: "other", value: {}, form: "other", contentPath: path, blocks: [block] };
  }
  const type = itemType(value);
  if (type === "message") return readMessage(value, index, path);
  const block = readBlock(value, type, path);
  return { index, path, role: roleOf(block, value), value, form: "absent", contentPath: path, blocks: [block] };
}

/** A message may leave its type out. */
export function itemType(item: JsonObject): string {
  return stringOf(item.type) || ("role" in item ? "message" : "");
}

function readMessage(value: JsonObject, index: number, path: string): Row {
  const { content } = value;
  const contentPath = `${path}/content`;
  const place = { index, path, role: readRole(value.role), value, contentPath };
  if (typeof content === "string") {
    return { ...place, form: "string", blocks: [{ kind: "text", path: contentPath, value: content, text: content }] };
  }
  if (Array.isArray(content)) {
    return { ...place, form: "blocks", blocks: content.map((part, at) => readPart(part, `${contentPath}/${at}`)) };
  }
  const form = content === null ? "null" : content === undefined ? "absent" : "other";
  return { ...place, form, blocks: [] };
}

function readRole(role: unknown): Role {
  if (role === "developer") return "system";
  return role === "system" || role === "user" || role === "assistant" ? role : "other";
}

const TEXTS = new Set(["input_text", "output_text", "text", "summary_text"]);
const MEDIA = new Set(["input_image", "input_file", "input_audio", "computer_screenshot"]);

function readPart(value: unknown, path: string): Block {
  if (!isObject(value)) return { kind: "opaque", path, value, type: typeof value };
  const type = stringOf(value.type);
  if (TEXTS.has(type)) return { kind: "text", path, value, text: stringOf(value.text) };
  if (type === "refusal") return { kind: "text", path, value, text: stringOf(value.refusal) };
  if (MEDIA.has(type)) return { kind: "media", path, value };
  return { kind: "opaque", path, value, type };
}

/** Calls that the client runs. Each is answered by an item of its type with `_output` behind it. */
const CALLS = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
]);
const SERVER_CALLS = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
]);
const NOTES = new Set([
  "item_reference",
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "context_compaction",
  "configuration_update",
  "additional_tools",
  "tool_search_call",
  "tool_search_output",
  "mcp_approval_request",
  "mcp_approval_response",
]);

function readBlock(value: JsonObject, type: string, path: string): Block {
  if (type === "reasoning") {
    const seal = typeof value.encrypted_content === "string" ? value.encrypted_content : null;
    return { kind: "thinking", path, value, text: summaryOf(value.summary), seal };
  }
  if (CALLS.has(type)) {
    const input = value.arguments ?? value.input ?? value.action ?? value.operation;
    return { kind: "call", path, value, id: callIdOf(value), name: stringOf(value.name) || type, input };
  }
  if (type.endsWith("_output") && CALLS.has(type.slice(0, -"_output".length))) {
    return { kind: "result", path, value, callId: callIdOf(value), isError: false };
  }
  if (SERVER_CALLS.has(type)) return { kind: "server-call", path, value, id: stringOf(value.id) };
  if (NOTES.has(type)) return { kind: "note", path, value, type };
  return { kind: "opaque", path, value, type };
}

/** Shell outputs of older clients name their call in `id`. */
function callIdOf(value: JsonObject): string {
  return stringOf(value.call_id ?? value.id);
}

function summaryOf(summary: unknown): string {
  if (!Array.isArray(summary)) return "";
  return summary.map((part) => (isObject(part) ? stringOf(part.text) : "")).join("\n");
}

function roleOf(block: Block, value: JsonObject): Role {
  if (block.kind === "result") return "tool";
  if (block.kind === "opaque") return "other";
  if (block.kind === "note") return readRole(value.role) === "other" ? "system" : readRole(value.role);
  return "assistant";
}

const listedTools = objectMemo((tools: readonly unknown[]) => readTools(tools, "/tools"));

function readTools(tools: unknown, path: string): readonly ToolDefinition[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, index) => {
    if (!isObject(tool)) return [];
    const place = `${path}/${index}`;
    // A namespace holds the tools of one server.
    if (tool.type === "namespace" && Array.isArray(tool.tools)) return readTools(tool.tools, `${place}/tools`);
    return [{ name: stringOf(tool.name), path: place }];
  });
}

/** Tools that an item brings into the conversation without touching `tools`. */
const addedToolsOf = searchRows((row): readonly ToolDefinition[] => {
  const [block] = row.blocks;
  if (block?.kind !== "note" || !("tools" in row.value)) return [];
  return readTools(row.value.tools, `${row.path}/tools`);
});

function readAnchor(body: JsonObject): Anchor | null {
  if (typeof body.previous_response_id === "string") {
    return { kind: "previous_response", path: "/previous_response_id", id: body.previous_response_id };
  }
  const conversation = isObject(body.conversation) ? body.conversation.id : body.conversation;
  return typeof conversation === "string" ? { kind: "conversation", path: "/conversation", id: conversation } : null;
}

const referencesIn = searchRows(({ value, path }): readonly Anchor[] =>
  value.type === "item_reference" ? [{ kind: "item_reference", path, id: stringOf(value.id) || null }] : [],
);
