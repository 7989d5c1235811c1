import type { Api } from "../api.ts";
import type { WireFormat } from "../wire-format.ts";
import { readGoogleRequest } from "./request.ts";
import { readGoogleResponse } from "./response.ts";

export const googleGenerativeAi = googleFormat("google-generative-ai");
export const googleVertex = googleFormat("google-vertex");

function googleFormat(api: Api): WireFormat {
  return {
    api,
    readRequest: (body, known) => readGoogleRequest(api, body, known),
    recognises: (body) => Array.isArray(body.contents),
    readResponse: readGoogleResponse,
  };
}
