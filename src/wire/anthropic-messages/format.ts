import type { WireFormat } from "../wire-format.ts";
import { readAnthropicRequest, recognisesAnthropic } from "./request.ts";
import { readAnthropicResponse } from "./response.ts";

export const anthropicMessages: WireFormat = {
  api: "anthropic-messages",
  readRequest: readAnthropicRequest,
  recognises: recognisesAnthropic,
  readResponse: readAnthropicResponse,
};
