import { asObject, asObjects, asText } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { RememberedExchange } from "../remembered-exchange.ts";
import { holdResponse } from "./history.ts";
import { rememberOutput } from "./issue.ts";
import { readResponsesRequest } from "./responses-request.ts";

/** Another back end's reasoning stays foreign, and so does what it stored. */
export function rememberResponses(exchange: RememberedExchange, context: ProviderContext): void {
  const body = asObject(exchange.request);
  const response = asObject(exchange.response);
  const request = readResponsesRequest(body, context, { items: [], unknown: false });
  const own = exchange.backend === (context.settings.backend ?? "openai");
  const output = asObjects(response.output);
  rememberOutput(request, output, own ? "self" : exchange.backend);
  if (own) holdResponse(body, [], { id: asText(response.id), output }, context);
}
