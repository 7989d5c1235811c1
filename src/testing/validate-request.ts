import type { RequestHeaders } from "./anthropic/anthropic-request.ts";
import { type AnthropicVerdict, validateAnthropic } from "./anthropic/validate.ts";
import type { ProviderContext } from "./provider-context.ts";

/** Judges a parsed body as the server behind `api` would. @throws Error for an api that is not simulated */
export function validateRequest(
  api: string,
  body: unknown,
  context: ProviderContext,
  headers: RequestHeaders = {},
): AnthropicVerdict {
  if (api === "anthropic-messages") return validateAnthropic(body, context, headers);
  throw new Error(`the api ${api} is not simulated`);
}
