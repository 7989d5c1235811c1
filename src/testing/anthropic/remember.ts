import { asObject, asObjects } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { RememberedExchange } from "../remembered-exchange.ts";
import { readAnthropicRequest } from "./anthropic-request.ts";
import { checkBinding } from "./binding.ts";
import { rememberThinking } from "./issue.ts";

/** Thinking of another back end stays foreign: its signatures do not verify here. */
export function rememberMessages(exchange: RememberedExchange, context: ProviderContext): void {
  const held = { rows: 0, unknown: false };
  const request = readAnthropicRequest(asObject(exchange.request), {}, context, held);
  const own = exchange.backend === (context.settings.backend ?? "anthropic");
  const answer = asObjects(asObject(exchange.response).content);
  rememberThinking(request, checkBinding(request).end, answer, own ? "self" : exchange.backend);
}
