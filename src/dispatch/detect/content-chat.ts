/** Content that is null, absent or empty, and lists that may not be empty, in Chat Completions. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import type { Fault, JudgeContext } from "../rule.ts";
import { perRow } from "./per-row.ts";

export interface ContentFault extends Fault {
  readonly row: Row;
}

/** No content where the server wants a string. */
export function missingContents(request: WireRequest, { backend }: JudgeContext): ContentFault[] {
  const refusesNull = backend === "lmstudio";
  return contentFaults(request).filter(
    ({ row }) => row.form === "blocks" || mustWrite(row) || (refusesNull && row.form === "null"),
  );
}

/** Servers in a typed language that take no null, tool calls or not. */
export function nilContents(request: WireRequest): ContentFault[] {
  return contentFaults(request).filter(({ row }) => row.form !== "blocks");
}

const contentFaults = perRow((row): ContentFault[] => {
  const { content } = row.value;
  const isEmpty = row.role !== "other" && Array.isArray(content) && content.length === 0;
  if (isEmpty) return [{ path: row.contentPath, message: "the content of a message is an empty array", row }];
  if (!hasNoContent(row)) return [];
  return [{ path: row.contentPath, message: `the content of a ${row.role} message is ${row.form}`, row }];
});

function hasNoContent(row: Row): boolean {
  return row.role !== "other" && (row.form === "null" || row.form === "absent");
}

/** An assistant row may call, refuse or speak aloud instead of writing. */
function mustWrite(row: Row): boolean {
  if (row.role !== "assistant") return true;
  if (row.blocks.some((block) => block.kind === "call" || block.kind === "opaque")) return false;
  return ["refusal", "audio", "function_call"].every((name) => (row.value[name] ?? null) === null);
}

/** `tools` and `tool_calls` that are there but empty. */
export function emptyLists(request: WireRequest): Fault[] {
  return [...emptyList(request.body.tools, "/tools"), ...emptyCallLists(request)];
}

const emptyCallLists = perRow((row) => emptyList(row.value.tool_calls, `${row.path}/tool_calls`));

function emptyList(list: unknown, path: string): Fault[] {
  return Array.isArray(list) && list.length === 0 ? [{ path, message: "the list is there but empty" }] : [];
}

/** Arguments that are no JSON text. */
export const brokenArguments = perRow((row): Fault[] =>
  row.blocks.flatMap((block) => {
    if (block.kind !== "call" || !isObject(block.value) || !isObject(block.value.function)) return [];
    if (typeof block.input === "string" && isJson(block.input)) return [];
    return [{ path: `${block.path}/function/arguments`, message: `the arguments of ${block.id} are no JSON text` }];
  }),
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Expected: models write broken arguments.
    return false;
  }
}
