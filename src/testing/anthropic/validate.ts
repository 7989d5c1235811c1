/**
 * Answers a Messages request as Anthropic's API would: the first fault wins, with the API's own words. Written as one
 * walk per topic over the merged conversation, so that it shares neither data nor shape with a table of rules.
 */
import { asObject, type JsonObject } from "../json-value.ts";
import { createProviderContext, type ProviderContext } from "../provider-context.ts";
import { firstEnforced, type Rejection } from "../rejection.ts";
import { type AnthropicRequest, type RequestHeaders, readAnthropicRequest } from "./anthropic-request.ts";
import { type BindingResult, checkBinding } from "./binding.ts";
import { deepseekFindings } from "./deepseek.ts";
import { emptinessFindings } from "./emptiness.ts";
import { endFindings } from "./end.ts";
import { anthropicError } from "./error.ts";
import { imageFindings } from "./images.ts";
import { markerFindings } from "./markers.ts";
import { pairFindings } from "./pairs.ts";
import { rowFindings } from "./rows.ts";
import { settingsFindings } from "./settings.ts";
import { thinkingFindings } from "./thinking.ts";
import { resolveThread } from "./thread.ts";
import { toolFindings } from "./tools.ts";
import { zaiFindings } from "./zai.ts";

export type AnthropicVerdict =
  | { readonly status: 200; readonly request: AnthropicRequest; readonly binding: BindingResult }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

/** @param body the parsed JSON body; @param headers lower-case names */
export function validateAnthropic(
  body: unknown,
  context: ProviderContext = createProviderContext(),
  headers: RequestHeaders = {},
): AnthropicVerdict {
  const { accepts, extraRules } = context.settings;
  const thread = resolveThread(asObject(body), context);
  if (thread.kind === "rejected" && !accepts.has("A-THR-29")) return rejected(thread.rejection);
  const held = thread.kind === "resolved" ? thread : { body: asObject(body), rows: 0, unknown: true };
  const request = readAnthropicRequest(held.body, headers, context, held);
  const binding = checkBinding(request);
  const rejection = firstEnforced(body, findings(request, binding), extraRules, accepts);
  return rejection === null ? { status: 200, request, binding } : rejected(rejection);
}

function* findings(request: AnthropicRequest, binding: BindingResult): Generator<Rejection> {
  yield* settingsFindings(request);
  yield* toolFindings(request);
  yield* markerFindings(request);
  yield* rowFindings(request);
  yield* emptinessFindings(request);
  yield* zaiFindings(request);
  yield* deepseekFindings(request);
  yield* pairFindings(request);
  yield* imageFindings(request);
  yield* thinkingFindings(request);
  yield* binding.findings;
  yield* endFindings(request);
}

function rejected(rejection: Rejection): AnthropicVerdict {
  return { status: rejection.status ?? 400, rule: rejection.rule, body: anthropicError(rejection) };
}
