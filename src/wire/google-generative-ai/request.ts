/** Gemini `generateContent`, request side, for the public API and Vertex. Both spellings of a member are taken. */
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
import { readRows } from "../row-memo.ts";

export function readGoogleRequest(api: Api, body: JsonObject, known?: readonly Row[]): WireRequest {
  return {
    api,
    body,
    // The model stands in the URL; some clients repeat it.
    model: typeof body.model === "string" ? body.model : null,
    rowsPath: "/contents",
    rows: readRows(listOf(body.contents), known, readContent),
    tools: readTools(listOf(body.tools)),
    anchor: readAnchor(body),
  };
}

function readContent(value: unknown, index: number): Row {
  const path = `/contents/${index}`;
  const row = isObject(value) ? value : {};
  const contentPath = `${path}/parts`;
  const role = isObject(value) ? readRole(row.role) : "other";
  const place = { index, path, role, value: row, contentPath };
  if (Array.isArray(row.parts)) {
    return { ...place, form: "blocks", blocks: row.parts.map((part, at) => readPart(part, `${contentPath}/${at}`)) };
  }
  const form = row.parts === null ? "null" : row.parts === undefined ? "absent" : "other";
  return { ...place, form, blocks: [] };
}

/** A content without a role is the user's; `function` is how responses were sent once. */
function readRole(role: unknown): Role {
  if (role === undefined || role === "user" || role === "function") return "user";
  return role === "model" ? "assistant" : "other";
}

const MEDIA = ["inlineData", "inline_data", "fileData", "file_data"];
const NOTES = [
  "executableCode",
  "executable_code",
  "codeExecutionResult",
  "code_execution_result",
  "toolCall",
  "toolResponse",
];

function readPart(value: unknown, path: string): Block {
  if (!isObject(value)) return { kind: "opaque", path, value, type: typeof value };
  const call = value.functionCall ?? value.function_call;
  if (isObject(call)) {
    return { kind: "call", path, value, id: idOf(call), name: stringOf(call.name), input: call.args };
  }
  const response = value.functionResponse ?? value.function_response;
  if (isObject(response)) return { kind: "result", path, value, callId: idOf(response), isError: false };
  if (typeof value.text === "string") {
    const { text } = value;
    return value.thought === true
      ? { kind: "thinking", path, value, text, seal: sealOf(value) }
      : { kind: "text", path, value, text };
  }
  if (MEDIA.some((name) => name in value)) return { kind: "media", path, value };
  const note = NOTES.find((name) => name in value);
  if (note !== undefined) return { kind: "note", path, value, type: note };
  if (sealOf(value) !== null) return { kind: "note", path, value, type: "thoughtSignature" };
  return { kind: "opaque", path, value, type: Object.keys(value)[0] ?? "" };
}

/** Ids are left out mostly: then a response answers the call of its name, in order. */
function idOf(call: JsonObject): string {
  return stringOf(call.id) || stringOf(call.name);
}

/** The signature of a part, in both spellings. */
export function sealOf(part: JsonObject): string | null {
  const seal = part.thoughtSignature ?? part.thought_signature;
  return typeof seal === "string" && seal !== "" ? seal : null;
}

const readTools = objectMemo((tools: readonly unknown[]): readonly ToolDefinition[] =>
  tools.flatMap((tool, index) => {
    if (!isObject(tool)) return [];
    const name = "function_declarations" in tool ? "function_declarations" : "functionDeclarations";
    return listOf(tool[name]).map((declaration, at) => ({
      name: isObject(declaration) ? stringOf(declaration.name) : "",
      path: `/tools/${index}/${name}/${at}`,
    }));
  }),
);

/** The beginning of the conversation lies in the provider's cache. */
function readAnchor(body: JsonObject): Anchor | null {
  const name = "cached_content" in body ? "cached_content" : "cachedContent";
  const id = body[name];
  return typeof id === "string" ? { kind: "cached_content", path: `/${name}`, id } : null;
}
