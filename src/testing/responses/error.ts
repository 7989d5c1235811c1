import type { JsonObject } from "../json-value.ts";
import type { SimulatedBackend } from "../provider-options.ts";
import type { Rejection } from "../rejection.ts";

/** OpenAI's error body; the Codex back end sends its own texts as `detail`. */
export function responsesError(backend: SimulatedBackend, rejection: Rejection): JsonObject {
  const { rule, message, param = null, code = null, status = 400 } = rejection;
  if (backend === "codex" && rule.startsWith("X-")) return { detail: message };
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param, code } };
}
