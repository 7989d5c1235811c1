/**
 * Answers a Chat Completions request as the back end would. What OpenAI wants stands in `pairs` and `content`; each
 * other server adds its own demands, and those that render a chat template have little else.
 */
import { asObject, type JsonObject } from "../json-value.ts";
import { createProviderContext, type ProviderContext } from "../provider-context.ts";
import type { SimulatedBackend } from "../provider-options.ts";
import { firstEnforced, type Rejection } from "../rejection.ts";
import { type ChatRequest, readChatRequest } from "./chat-request.ts";
import { contentFindings } from "./content.ts";
import { chatError } from "./error.ts";
import { mistralFindings } from "./mistral.ts";
import { pairFindings } from "./pairs.ts";
import { reasoningFindings } from "./reasoning.ts";
import { templateFindings } from "./template.ts";

export type ChatVerdict =
  | { readonly status: 200; readonly request: ChatRequest }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

const templated = new Set<SimulatedBackend>(["vllm", "llamacpp", "lmstudio", "ollama"]);

export function validateChat(body: unknown, context: ProviderContext = createProviderContext()): ChatVerdict {
  const { accepts, extraRules } = context.settings;
  const request = readChatRequest(asObject(body), context);
  const rejection = firstEnforced(body, findings(request), extraRules, accepts);
  if (rejection === null) return { status: 200, request };
  return { status: rejection.status ?? 400, rule: rejection.rule, body: chatError(request.backend, rejection) };
}

function* findings(request: ChatRequest): Generator<Rejection> {
  yield* requiredFindings(request);
  yield* contentFindings(request);
  if (request.backend === "mistral") yield* mistralFindings(request);
  else if (!templated.has(request.backend)) yield* pairFindings(request);
  yield* reasoningFindings(request);
  yield* templateFindings(request);
}

function* requiredFindings({ body, rows, backend }: ChatRequest): Generator<Rejection> {
  // Azure names the deployment in the path.
  if (typeof body.model !== "string" && backend !== "azure")
    yield { rule: "schema", message: "you must provide a model parameter" };
  if (rows.length === 0) {
    yield { rule: "schema", message: "Missing required parameter: 'messages'.", param: "messages" };
  }
}
