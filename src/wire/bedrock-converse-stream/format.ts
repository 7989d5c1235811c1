import type { WireFormat } from "../wire-format.ts";
import { readConverseRequest, recognisesConverse } from "./request.ts";
import { readConverseResponse } from "./response.ts";

export const bedrockConverseStream: WireFormat = {
  api: "bedrock-converse-stream",
  readRequest: readConverseRequest,
  recognises: recognisesConverse,
  readResponse: readConverseResponse,
};
