/** The ChatGPT back end of Codex: stateless, with few options, and the instructions apart or in a developer row in front. */

import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { ResponsesRequest } from "./responses-request.ts";

const unsupported = ["temperature", "top_p", "max_output_tokens"];

export function* codexFindings({ body, items }: ResponsesRequest): Generator<Rejection> {
  const isInstructed = asText(body.instructions).trim() !== "" || items[0]?.item.role === "developer";
  if (!isInstructed && body.previous_response_id == null)
    yield { rule: "X-INSTR-1", message: "Instructions are required" };
  if (items.some(({ item }) => item.role === "system")) {
    yield { rule: "X-SYS-2", message: "System messages are not allowed" };
  }
  if (body.store !== false) yield { rule: "X-STORE-3", message: "Store must be set to false" };
  for (const name of unsupported) {
    if (body[name] !== undefined) yield { rule: "X-PARAM-4", message: `Unsupported parameter: ${name}` };
  }
  // A socket keeps the response before; a request of its own does not.
  if (body.previous_response_id != null && body.type !== "response.create") {
    yield { rule: "X-PREV-5", message: "Unsupported parameter: previous_response_id" };
  }
}
