import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { SimulatedBackend } from "../provider-options.ts";

export interface ChatRow {
  readonly at: number;
  readonly role: string;
  readonly message: JsonObject;
  readonly calls: readonly ChatCall[];
}

export interface ChatCall {
  readonly id: string;
  readonly name: string;
}

export interface ChatRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly backend: SimulatedBackend;
  readonly rows: readonly ChatRow[];
}

export function readChatRequest(body: JsonObject, context: ProviderContext): ChatRequest {
  const rows = asObjects(body.messages).map((message, at) => ({
    at,
    role: asText(message.role),
    message,
    calls: asObjects(message.tool_calls).map((call) => ({
      id: asText(call.id),
      name: asText(asObject(call.function).name),
    })),
  }));
  return { body, model: asText(body.model), backend: context.settings.backend ?? "openai", rows };
}
