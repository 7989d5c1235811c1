/** Cache markers: they say where a provider should keep an entry, and are no part of what it keeps. */
import { isObject } from "../../wire/request.ts";

/** A member of a tool, a block, or the body that only marks. */
export function isMarkerName(name: string): boolean {
  return name === "cache_control" || name === "prompt_cache_breakpoint";
}

/** An entry of a list that only marks, as Bedrock's. */
export function isMarkerEntry(value: unknown): boolean {
  return isObject(value) && "cachePoint" in value && Object.keys(value).length === 1;
}

/**
 * Below these members stands data of the tools' own: a member named like a marker is none there, and the order of
 * members reaches the model.
 */
export function holdsToolData(name: string): boolean {
  return TOOL_DATA.has(name);
}

const TOOL_DATA = new Set([
  "input_schema",
  "parameters",
  "parametersJsonSchema",
  "parameters_json_schema",
  "responseJsonSchema",
  "inputSchema",
  "input",
  "args",
  "response",
  "json",
]);
