/** Content that is null, absent or empty, and lists that may not be empty, in Chat Completions. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import type { Fault, JudgeContext } from "../rule.ts";

export interface ContentFault extends Fault {
  readonly row: Row;
}

/** No content where the server wants a string. */
export function missingContents(request: WireRequest, { backend }: JudgeContext): ContentFault[] {
  return request.rows.flatMap((row) => {
    if (Array.isArray(row.value.content) && row.value.content.length === 0) {
      return [fault(row, "the content of a message is an empty array")];
    }
    if (!hasNoContent(row)) return [];
    const refusesNull = backend === "lmstudio" && row.form === "null";
    if (row.role === "assistant" && saysOtherwise(row) && !refusesNull) return [];
    return [fault(row, `the content of a ${row.role} message is ${row.form}`)];
  });
}

/** Servers in a typed language that take no null, tool calls or not. */
export function nilContents(request: WireRequest): ContentFault[] {
  return request.rows.filter(hasNoContent).map((row) => fault(row, `the content of a ${row.role} message is nil`));
}

function hasNoContent(row: Row): boolean {
  return row.role !== "other" && (row.form === "null" || row.form === "absent");
}

/** An assistant row may call, refuse or speak aloud instead of writing. */
function saysOtherwise(row: Row): boolean {
  if (row.blocks.some((block) => block.kind === "call" || block.kind === "opaque")) return true;
  return ["refusal", "audio", "function_call"].some((name) => (row.value[name] ?? null) !== null);
}

function fault(row: Row, message: string): ContentFault {
  return { path: row.contentPath, message, row };
}

/** `tools` and `tool_calls` that are there but empty. */
export function emptyLists(request: WireRequest): Fault[] {
  const lists = [
    { path: "/tools", list: request.body.tools },
    ...request.rows.map((row) => ({ path: `${row.path}/tool_calls`, list: row.value.tool_calls })),
  ];
  return lists.flatMap(({ path, list }) =>
    Array.isArray(list) && list.length === 0 ? [{ path, message: "the list is there but empty" }] : [],
  );
}

/** Arguments that are no JSON text. */
export function brokenArguments(request: WireRequest): Fault[] {
  return request.rows.flatMap((row) =>
    row.blocks.flatMap((block) => {
      if (block.kind !== "call" || !isObject(block.value) || !isObject(block.value.function)) return [];
      if (typeof block.input === "string" && isJson(block.input)) return [];
      return [{ path: `${block.path}/function/arguments`, message: `the arguments of ${block.id} are no JSON text` }];
    }),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Expected: models write broken arguments.
    return false;
  }
}
