import { rememberMessages } from "./anthropic/remember.ts";
import type { ProviderContext } from "./provider-context.ts";
import type { RememberedExchange } from "./remembered-exchange.ts";

export function rememberExchange(exchange: RememberedExchange, context: ProviderContext): void {
  if (exchange.api === "anthropic-messages") rememberMessages(exchange, context);
}
