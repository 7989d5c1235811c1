import type { JsonObject } from "../json-value.ts";
import type { SimulatedBackend } from "../provider-options.ts";
import type { Rejection } from "../rejection.ts";

/** The error body of the back end: OpenAI's for most, flat ones for Mistral and vLLM. */
export function chatError(backend: SimulatedBackend, rejection: Omit<Rejection, "rule">): JsonObject {
  const { message, param = null, code = null, status = 400 } = rejection;
  if (backend === "vllm") return { object: "error", message, type: "BadRequestError", param: null, code: status };
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  if (backend === "mistral") {
    const order = code === "3230" ? "invalid_request_message_order" : type;
    return { object: "error", message, type: order, param: null, code };
  }
  return { error: { message, type, param, code } };
}
