/** Members of a body outside the prompt: which of them moved, and whether the cache survives that. */
import type { PathStep } from "../../lib/json-pointer.ts";
import type { Api } from "../../wire/api.ts";
import { isObject, type JsonObject } from "../../wire/request.ts";
import type { Change, Weight } from "./change.ts";
import { compareValues } from "./value-difference.ts";

/** One change per setting that differs, deepest level, in the order of AFTER. */
export function findSettingChanges(before: JsonObject, after: JsonObject, api: Api): readonly Change[] {
  const leaves = listLeaves(before, after);
  const changes = leaves.map((leaf): Change => {
    const change = {
      cause: "settings",
      weight: weighSetting(leaf, api),
      unit: leaf.path.slice(0, 1),
      ...leaf,
    } as const;
    return UNDOCUMENTED.has(leaf.path[0]!) ? { ...change, certain: false } : change;
  });
  return [...changes, ...findSchemaOrder(before, after, [])];
}

/** The schema of the answer is read into the prompt like a tool's, so the order of its members counts. */
function findSchemaOrder(before: unknown, after: unknown, path: readonly PathStep[]): readonly Change[] {
  if (!isObject(before) || !isObject(after)) return [];
  return Object.keys(after).flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (!ANSWER_SCHEMAS.has(name)) return findSchemaOrder(was, is, [...path, name]);
    const { difference } = compareValues(was, is, [...path, name], "tool");
    if (difference?.kind !== "key-order") return [];
    const { path: at, before: old, after: now } = difference;
    return [
      {
        cause: "schema_key_order",
        weight: "spoiling-setting",
        unit: at.slice(0, 1),
        path: at,
        before: old,
        after: now,
      },
    ];
  });
}

/** Places at which two values differ, deepest level, with what stood and stands there. */
export function listLeaves(before: JsonObject, after: JsonObject): readonly Leaf[] {
  const leaves: Leaf[] = [];
  collect(before, after, [], leaves);
  return leaves;
}

export interface Leaf {
  readonly path: readonly PathStep[];
  readonly before: unknown;
  readonly after: unknown;
}

/** Real bodies hold a dozen settings; a metadata object could hold any number. */
const SETTINGS_REPORTED_MAX = 64;

function collect(before: unknown, after: unknown, path: readonly PathStep[], leaves: Leaf[]): void {
  if (leaves.length >= SETTINGS_REPORTED_MAX || before === after) return;
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
      const [was, is] = [before, after].map((object) => (Object.hasOwn(object, name) ? object[name] : undefined));
      collect(was, is, [...path, name], leaves);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) collect(before[i], after[i], [...path, i], leaves);
  } else {
    leaves.push({ path, before, after });
  }
}

function weighSetting({ path, before, after }: Leaf, api: Api): Weight {
  if (CHAIN_PATHS.some((chain) => chain.every((step, index) => path[index] === step))) return "chain";
  if (LABELS.has(path[0]!) || HARMLESS_INSIDE.has(path.at(-1)!)) return "harmless-setting";
  // OpenAI names it as a reason of a miss; elsewhere it only says how soon the answer comes.
  if (path[0] === "service_tier") return api.startsWith("openai") ? "spoiling-setting" : "harmless-setting";
  const spoils = path.some((step) => SPOILING.has(step)) || holdsSpoiling(before) || holdsSpoiling(after);
  return spoils ? "spoiling-setting" : "harmless-setting";
}

/** Of an object that came or went as a whole, what stands in it decides. */
function holdsSpoiling(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => SPOILING.has(name) || holdsSpoiling(member));
}

const ANSWER_SCHEMAS = new Set([
  "schema",
  "responseSchema",
  "response_schema",
  "responseJsonSchema",
  "response_json_schema",
]);

/** They choose features or a place to run; no provider says whether an entry outlives a change. */
const UNDOCUMENTED = new Set<PathStep>(["betas", "anthropic_beta", "inference_geo", "provider", "performanceConfig"]);

/** Words of the client's own, whatever they are named. */
const LABELS = new Set<PathStep>(["metadata", "requestMetadata", "labels", "user"]);

/**
 * Members that a provider reads into the prompt or into the key of the cache entry, at any depth: what providers list
 * as reasons of a miss, and what their chat templates render. All other settings only steer the answer.
 */
const SPOILING = new Set<PathStep>([
  // Thinking and effort.
  "thinking",
  "effort",
  "reasoning",
  "reasoning_effort",
  "reasoning_config",
  "reasoningConfig",
  "thinkingConfig",
  "thinking_config",
  "thinking_budget",
  "enable_thinking",
  "think",
  "prompt_mode",
  "chat_template",
  "chat_template_kwargs",
  "speed",
  // The choice among tools.
  "tool_choice",
  "toolChoice",
  "function_call",
  "functionCallingConfig",
  "function_calling_config",
  "allowed_tools",
  "mcp_servers",
  "web_search_options",
  "search_parameters",
  "skills",
  // The form of the answer.
  "verbosity",
  "text",
  "output_config",
  "output_format",
  "outputConfig",
  "response_format",
  "responseSchema",
  "responseJsonSchema",
  "responseMimeType",
  "safe_prompt",
  // How pictures and documents are read.
  "mediaResolution",
  "media_resolution",
  "documents",
  // What is cut out of the prompt, or put into it, on the provider's side.
  "context_management",
  "cachedContent",
  "cached_content",
  "promptVariables",
  "prompt",
  // The key of the entry.
  "prompt_cache_key",
  "cache_salt",
]);

/** Members of a spoiling object that only say what comes back. */
const HARMLESS_INSIDE = new Set<PathStep>([
  "summary",
  "generate_summary",
  "include_thoughts",
  "includeThoughts",
  "exclude",
]);

/** They name the answer before this request, so they move with every turn. */
const CHAIN_PATHS: readonly (readonly PathStep[])[] = [
  ["previous_response_id"],
  ["conversation"],
  ["thread"],
  ["diagnostics"],
  ["prompt_cache_options", "comparison_response_id"],
];
