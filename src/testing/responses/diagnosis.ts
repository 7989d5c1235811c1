/** Why the cache could not serve a request, told by comparing it with the response that the client names. */
import { asObject, asText, type JsonObject } from "../json-value.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import type { PromptPrint } from "../provider-memory.ts";
import { renderItem } from "./prompt.ts";
import type { ResponsesRequest } from "./responses-request.ts";

/** In the order in which the provider looks. */
const reasonOfField = {
  model: "model_changed",
  key: "prompt_cache_key_changed",
  tier: "service_tier_changed",
  tools: "tools_changed",
  format: "text_format_changed",
  effort: "reasoning_effort_changed",
  verbosity: "verbosity_changed",
  instructions: "input_changed",
} as const;

/** @returns `prompt_cache_diagnostics`; undefined where the request asks for none */
export function diagnose(request: ResponsesRequest, id: string, metered: MeterTurn): JsonObject | undefined {
  const { body, context } = request;
  const print = printOf(request);
  context.memory.prints.set(id, print);
  const comparedId = asText(asObject(body.prompt_cache_options).comparison_response_id);
  if (comparedId === "") return undefined;
  const compared = context.memory.prints.get(comparedId);
  if (compared === undefined) return { type: "comparison_response_not_found" };
  const reason = reasonOf(compared, print);
  if (reason === null) return { type: "cache_hit" };
  const before = [...Object.values(compared.fields), ...compared.items].reduce(
    (sum, text) => sum + promptTokens(text),
    0,
  );
  return { type: "cache_miss", reason, cache_missed_tokens: Math.max(0, before - metered.read) };
}

function printOf({ body, items, model }: ResponsesRequest): PromptPrint {
  const fields: Record<keyof typeof reasonOfField, string> = {
    model,
    key: asText(body.prompt_cache_key),
    tier: asText(body.service_tier),
    tools: JSON.stringify(body.tools ?? []),
    format: JSON.stringify(asObject(body.text).format ?? {}),
    effort: asText(asObject(body.reasoning).effort),
    verbosity: asText(asObject(body.text).verbosity),
    instructions: asText(body.instructions),
  };
  return { fields, items: items.map(renderItem) };
}

function reasonOf(compared: PromptPrint, now: PromptPrint): string | null {
  for (const [field, reason] of Object.entries(reasonOfField)) {
    if (compared.fields[field] !== now.fields[field]) return reason;
  }
  const kept = compared.items.every((text, at) => text === now.items[at]);
  return kept ? null : "input_changed";
}
