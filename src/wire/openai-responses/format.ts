/** Three apis speak the Responses format: they differ in what they reject, not in how they are read. */
import type { Api } from "../api.ts";
import type { WireFormat } from "../wire-format.ts";
import { readResponsesRequest, recognisesResponses } from "./request.ts";
import { readResponsesResponse } from "./response.ts";

export const openaiResponses = responsesFormat("openai-responses");
export const openaiCodexResponses = responsesFormat("openai-codex-responses");
export const azureOpenaiResponses = responsesFormat("azure-openai-responses");

function responsesFormat(api: Api): WireFormat {
  return {
    api,
    readRequest: (body, known) => readResponsesRequest(api, body, known),
    recognises: recognisesResponses,
    readResponse: readResponsesResponse,
  };
}
