import type { WireFormat } from "../wire-format.ts";
import { readChatRequest, recognisesChat } from "./request.ts";
import { readChatResponse } from "./response.ts";

export const openaiCompletions: WireFormat = {
  api: "openai-completions",
  readRequest: readChatRequest,
  recognises: recognisesChat,
  readResponse: readChatResponse,
};
