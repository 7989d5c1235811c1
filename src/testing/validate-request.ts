import type { RequestHeaders } from "./anthropic/anthropic-request.ts";
import { validateAnthropic } from "./anthropic/validate.ts";
import { validateChat } from "./chat/validate.ts";
import { validateConverse } from "./converse/validate.ts";
import { validateGoogle } from "./google/validate.ts";
import type { JsonObject } from "./json-value.ts";
import type { ProviderContext } from "./provider-context.ts";
import { validateResponses } from "./responses/validate.ts";

export type RequestVerdict =
  | { readonly status: 200 }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

/**
 * Judges a parsed body as the server behind `api` would.
 * @param model for the APIs whose bodies do not name it
 * @throws Error for an api that is not simulated
 */
export function validateRequest(
  api: string,
  body: unknown,
  context: ProviderContext,
  { headers = {}, model = "" }: { readonly headers?: RequestHeaders; readonly model?: string } = {},
): RequestVerdict {
  if (api === "anthropic-messages") return validateAnthropic(body, context, headers);
  if (api === "openai-completions" || api === "mistral-conversations") return validateChat(body, context);
  if (api.endsWith("-responses")) return validateResponses(body, context);
  if (api.startsWith("google-")) return validateGoogle(body, model, context);
  if (api === "bedrock-converse-stream") return validateConverse(body, model, context);
  throw new Error(`the api ${api} is not simulated`);
}
