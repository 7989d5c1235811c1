/** The table of wire formats, and which of them a body speaks when nobody says. */
import { anthropicMessages } from "./anthropic-messages/format.ts";
import type { Api, Backend } from "./api.ts";
import { openaiCompletions } from "./openai-completions/format.ts";
import { azureOpenaiResponses, openaiCodexResponses, openaiResponses } from "./openai-responses/format.ts";
import type { JsonObject } from "./request.ts";
import type { WireFormat } from "./wire-format.ts";

/** In the order in which a body is offered to them: the ones with the surest marks first. */
export const FORMATS: readonly WireFormat[] = [
  anthropicMessages,
  openaiCompletions,
  openaiResponses,
  openaiCodexResponses,
  azureOpenaiResponses,
];

export function formatOf(api: Api): WireFormat | undefined {
  return FORMATS.find((format) => format.api === api);
}

/** The api of a body by its shape, or null where not even the family is clear. */
export function detectApi(body: JsonObject): Api | null {
  if (Array.isArray(body.contents)) return "google-generative-ai";
  if ("input" in body || "previous_response_id" in body) return "openai-responses";
  if (!Array.isArray(body.messages)) return null;
  const format = FORMATS.find((candidate) => candidate.recognises(body));
  if (format !== undefined) return format.api;
  if (looksLikeConverse(body)) return "bedrock-converse-stream";
  // Bare rows of text are the same on several apis: the model's name decides.
  if (/^claude-/.test(modelOf(body))) return "anthropic-messages";
  return MISTRAL_MODEL.test(modelOf(body)) ? "mistral-conversations" : "openai-completions";
}

/**
 * Who answers, as far as the model's name tells: servers that copy an api have rules of their own. Null for names that
 * several serve.
 */
export function detectBackend(api: Api, body: JsonObject): Backend | null {
  if (api !== "openai-completions") return null;
  return MODEL_BACKENDS.find(({ model }) => model.test(modelOf(body)))?.backend ?? null;
}

/** Mistral's own names end with a date or `latest`; others serve its open models under longer ones. */
const MISTRAL_MODEL = /^(mistral|ministral|codestral|devstral|magistral|pixtral)-[a-z-]+-(latest|\d{4})$/;

const MODEL_BACKENDS: readonly { readonly model: RegExp; readonly backend: Backend }[] = [
  { model: /^deepseek-(chat|reasoner|v\d)/, backend: "deepseek" },
  { model: /^(kimi|moonshot)-/, backend: "moonshot" },
  { model: /^glm-\d/, backend: "zai" },
  { model: /^qwen(\d|-)[\w.-]*$/, backend: "qwen" },
  // Ollama's own spelling: a name, a colon, a tag.
  { model: /^[\w.-]+:[\w.-]+$/, backend: "ollama" },
];

function modelOf(body: JsonObject): string {
  return typeof body.model === "string" ? body.model : "";
}

function looksLikeConverse(body: JsonObject): boolean {
  if ("inferenceConfig" in body || "toolConfig" in body) return true;
  const messages = body.messages as readonly unknown[];
  const first = (messages[0] as JsonObject | undefined)?.content;
  return Array.isArray(first) && typeof first[0] === "object" && first[0] !== null && !("type" in first[0]);
}
