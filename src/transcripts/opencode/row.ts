import { countOf, type JsonObject, objectOf } from "../json-value.ts";
import type { TokenUsage } from "../transcript.ts";

/** One message with its parts: the same bodies in the database, in an export and in the older tree. */
export interface MessageRow {
  readonly info: JsonObject;
  readonly parts: readonly PartRow[];
}

export interface PartRow {
  readonly part: JsonObject;
  /** The file that holds it, in the older tree. */
  readonly file: string | undefined;
}

export function isExport(value: JsonObject): boolean {
  return objectOf(value.info) !== undefined && Array.isArray(value.messages);
}

export function usageOf(tokens: JsonObject): TokenUsage {
  const cache = objectOf(tokens.cache);
  return {
    input: countOf(tokens.input),
    // Reasoning is counted apart and paid as output.
    output: countOf(tokens.output) + countOf(tokens.reasoning),
    cacheRead: countOf(cache?.read),
    cacheWrite: countOf(cache?.write),
    cacheWrite1h: 0,
    webSearches: 0,
  };
}
