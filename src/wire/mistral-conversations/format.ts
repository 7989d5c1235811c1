/** Mistral's own API: the rows of Chat Completions under rules of its own. */
import { readChatRequest } from "../openai-completions/request.ts";
import { readChatResponse } from "../openai-completions/response.ts";
import type { WireFormat } from "../wire-format.ts";

const api = "mistral-conversations";

export const mistralConversations: WireFormat = {
  api,
  readRequest: (body, known) => ({ ...readChatRequest(body, known), api }),
  recognises: ({ model, messages }) => Array.isArray(messages) && typeof model === "string" && OWN_MODEL.test(model),
  readResponse: readChatResponse,
};

/** Mistral's own names end with a date or `latest`; others serve its open models under longer ones. */
const OWN_MODEL = /^(mistral|ministral|codestral|devstral|magistral|pixtral)-[a-z-]+-(latest|\d{4})$/;
