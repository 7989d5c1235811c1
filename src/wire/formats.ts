/** The table of wire formats, and which of them a body speaks when nobody says. */
import { anthropicMessages } from "./anthropic-messages/format.ts";
import type { Api, Backend } from "./api.ts";
import { bedrockConverseStream } from "./bedrock-converse-stream/format.ts";
import { googleGenerativeAi, googleVertex } from "./google-generative-ai/format.ts";
import { mistralConversations } from "./mistral-conversations/format.ts";
import { openaiCompletions } from "./openai-completions/format.ts";
import { azureOpenaiResponses, openaiCodexResponses, openaiResponses } from "./openai-responses/format.ts";
import type { JsonObject } from "./request.ts";
import type { WireFormat } from "./wire-format.ts";

/** In the order in which a body is offered to them: the ones with the surest marks first. */
export const FORMATS: readonly WireFormat[] = [
  anthropicMessages,
  mistralConversations,
  openaiCompletions,
  openaiResponses,
  openaiCodexResponses,
  azureOpenaiResponses,
  googleGenerativeAi,
  googleVertex,
  bedrockConverseStream,
];

export function formatOf(api: Api): WireFormat | undefined {
  return FORMATS.find((format) => format.api === api);
}

/** The api of a body by its shape, or null where not even the family is clear. */
export function detectApi(body: JsonObject): Api | null {
  const format = FORMATS.find((candidate) => candidate.recognises(body));
  if (format !== undefined) return format.api;
  if (!Array.isArray(body.messages)) return null;
  // Bare rows of text are the same on several apis: the model's name decides.
  return /^claude-/.test(modelOf(body)) ? "anthropic-messages" : "openai-completions";
}

/**
 * Who answers, as far as the model's name tells: servers that copy an api have rules of their own. Null for names that
 * several serve.
 */
export function detectBackend(api: Api, body: JsonObject): Backend | null {
  if (api !== "openai-completions") return null;
  return MODEL_BACKENDS.find(({ model }) => model.test(modelOf(body)))?.backend ?? null;
}

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
