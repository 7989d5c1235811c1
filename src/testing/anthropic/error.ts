import type { JsonObject } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";

const typeOfStatus: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

/** The error body of the Messages API. A machine code goes into `details.error_code`. */
export function anthropicError(rejection: Omit<Rejection, "rule">): JsonObject {
  const type = typeOfStatus[rejection.status ?? 400] ?? "api_error";
  const details = rejection.code === undefined ? {} : { details: { error_code: rejection.code } };
  return { type: "error", error: { type, message: rejection.message, ...details }, request_id: null };
}
