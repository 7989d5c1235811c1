/**
 * How long a provider keeps a prompt prefix that nobody asks for again. The longest time that it may live: a prefix that
 * is thought alive costs nothing when it is gone, one that is thought gone is written anew.
 */
import type { Api, Backend } from "../wire/api.ts";
import { isObject, type WireRequest } from "../wire/request.ts";
import { rowMemo } from "../wire/row-memo.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** OpenAI's extended retention: nothing of a prefix is left anywhere after it. */
export const CACHE_LIFETIME_MAX_MS = 24 * HOUR_MS;

/** Servers that write a prefix only where a marker asks for it, each use of it beginning the time anew. */
const BY_MARKER: ReadonlySet<Backend> = new Set(["anthropic", "bedrock", "vertex"]);
const MARKED_APIS: ReadonlySet<Api> = new Set(["anthropic-messages", "bedrock-converse-stream"]);

/** Servers that cache by themselves, where the request says nothing: OpenAI drops what lies in memory within the hour. */
const BY_ITSELF: Partial<Record<Backend, number>> = {
  groq: 2 * HOUR_MS,
  // "A few hours to a few days" on disk.
  deepseek: CACHE_LIFETIME_MAX_MS,
};
const BY_ITSELF_MS = HOUR_MS;

/** Values of `prompt_cache_options.ttl` and of `prompt_cache_retention`, which it follows. */
const ASKED: Readonly<Record<string, number>> = {
  "30m": 30 * MINUTE_MS,
  "12h": 12 * HOUR_MS,
  "24h": 24 * HOUR_MS,
};

/** In milliseconds since the last answer; 0 where this request writes no cache at all. */
export function cacheLifetimeMs(request: WireRequest, backend: Backend): number {
  if (MARKED_APIS.has(request.api) && BY_MARKER.has(backend)) return markedLifetime(request);
  const { prompt_cache_options: options, prompt_cache_retention: retention } = request.body;
  const asked = isObject(options) ? options.ttl : retention;
  return (typeof asked === "string" ? ASKED[asked] : undefined) ?? BY_ITSELF[backend] ?? BY_ITSELF_MS;
}

/** The longest of all markers: those of one hour stand in front of the others. */
function markedLifetime({ body, rows }: WireRequest): number {
  const { toolConfig } = body;
  const tools = isObject(toolConfig) ? toolConfig.tools : body.tools;
  const inFront = [body, tools, body.system].flatMap(lifetimesIn);
  return Math.max(0, ...inFront, ...rows.map((row) => rowLifetime(row).ms));
}

const rowLifetime = rowMemo(({ value }) => ({ ms: Math.max(0, ...lifetimesIn(value.content)) }));

/** Of a thing that may carry a marker, of a list of them, and of what a tool result holds. */
function lifetimesIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(lifetimesIn);
  if (!isObject(value)) return [];
  // Anthropic's marker is a member of a block, Bedrock's a block of its own.
  const marker = value.cache_control ?? value.cachePoint;
  const inner = value.type === "tool_result" ? lifetimesIn(value.content) : [];
  return isObject(marker) ? [...inner, marker.ttl === "1h" ? HOUR_MS : 5 * MINUTE_MS] : inner;
}
