import { rememberMessages } from "./anthropic/remember.ts";
import type { ProviderContext } from "./provider-context.ts";
import type { RememberedExchange } from "./remembered-exchange.ts";
import { rememberResponses } from "./responses/remember.ts";

/** Chat Completions have nothing that is signed or held. */
export function rememberExchange(exchange: RememberedExchange, context: ProviderContext): void {
  if (exchange.api === "anthropic-messages") rememberMessages(exchange, context);
  if (exchange.api.endsWith("-responses")) rememberResponses(exchange, context);
}
