import type { RequestHeaders } from "./anthropic/anthropic-request.ts";
import { validateAnthropic } from "./anthropic/validate.ts";
import { validateChat } from "./chat/validate.ts";
import type { JsonObject } from "./json-value.ts";
import type { ProviderContext } from "./provider-context.ts";

import { validateResponses } from "./responses/validate.ts";

export type RequestVerdict =
  | { readonly status: 200 }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

/** Judges a parsed body as the server behind `api` would. @throws Error for an api that is not simulated */
export function validateRequest(
  api: string,
  body: unknown,
  context: ProviderContext,
  headers: RequestHeaders = {},
): RequestVerdict {
  if (api === "anthropic-messages") return validateAnthropic(body, context, headers);
  if (api === "openai-completions" || api === "mistral-conversations") return validateChat(body, context);
  if (api.endsWith("-responses")) return validateResponses(body, context);
  throw new Error(`the api ${api} is not simulated`);
}
