/** What the server holds for a client: chains by `previous_response_id`, conversations, and single items. */
import { asObject, asText, type JsonObject } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { Rejection } from "../rejection.ts";
import { inputItems } from "./responses-request.ts";

export type ResolvedHistory =
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly kind: "resolved"; readonly items: readonly JsonObject[]; readonly unknown: boolean };

export function resolveHistory(body: JsonObject, context: ProviderContext): ResolvedHistory {
  const previous = asText(body.previous_response_id);
  const conversation = conversationId(body);
  const { zeroDataRetention, unknownAnchors } = context.settings;
  if (previous !== "" && conversation !== "") {
    return rejected("Mutually exclusive parameters: 'conversation' and 'previous_response_id'. Provide only one.");
  }
  if (previous === "" && conversation === "") return { kind: "resolved", items: [], unknown: false };
  if (zeroDataRetention) {
    return rejected("Previous response cannot be used for this organization due to Zero Data Retention.");
  }
  const held =
    previous === "" ? context.memory.conversations.get(conversation) : context.memory.responses.get(previous);
  if (held !== undefined) return { kind: "resolved", items: held.items, unknown: false };
  if (unknownAnchors === "accept") return { kind: "resolved", items: [], unknown: true };
  // A conversation begins when it is first named; a response must have been given.
  if (previous === "") return { kind: "resolved", items: [], unknown: false };
  const message = `Previous response with id '${previous}' not found.`;
  return rejected(message, "previous_response_not_found", "previous_response_id");
}

/** Keeps what the request asks to keep. */
export function holdResponse(
  body: JsonObject,
  before: readonly JsonObject[],
  response: { readonly id: string; readonly output: readonly JsonObject[] },
  context: ProviderContext,
): void {
  const { memory, settings } = context;
  if (body.store === false || settings.zeroDataRetention) return;
  const items = [...before, ...inputItems(body), ...response.output];
  memory.responses.set(response.id, { items });
  if (conversationId(body) !== "") memory.conversations.set(conversationId(body), { items });
  for (const item of response.output) memory.items.set(asText(item.id), item);
}

function conversationId(body: JsonObject): string {
  return asText(body.conversation) || asText(asObject(body.conversation).id);
}

function rejected(message: string, code?: string, param?: string): ResolvedHistory {
  const place = { ...(code === undefined ? {} : { code }), ...(param === undefined ? {} : { param }) };
  return { kind: "rejected", rejection: { rule: "R-STORE-12", message, ...place } };
}
