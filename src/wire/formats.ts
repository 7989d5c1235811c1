/** The table of wire formats, and which of them a body speaks when nobody says. */
import { anthropicMessages } from "./anthropic-messages/format.ts";
import type { Api } from "./api.ts";
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
  return looksLikeConverse(body) ? "bedrock-converse-stream" : "openai-completions";
}

function looksLikeConverse(body: JsonObject): boolean {
  if ("inferenceConfig" in body || "toolConfig" in body) return true;
  const messages = body.messages as readonly unknown[];
  const first = (messages[0] as JsonObject | undefined)?.content;
  return Array.isArray(first) && typeof first[0] === "object" && first[0] !== null && !("type" in first[0]);
}
