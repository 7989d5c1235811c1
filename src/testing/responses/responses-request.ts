import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import type { SimulatedBackend } from "../provider-options.ts";

export interface InputItem {
  /** As error texts write it: `input[3]`; `history` for what the server added. */
  readonly path: string;
  readonly type: string;
  readonly item: JsonObject;
}

/** A request whose server-held history is already in front of its own items. */
export interface ResponsesRequest {
  readonly body: JsonObject;
  readonly model: string;
  /** 5.6 for `gpt-5.6-mini`; 0 for a model that is not a GPT. */
  readonly version: number;
  readonly backend: SimulatedBackend;
  readonly items: readonly InputItem[];
  /** The server holds a history that this provider does not know. */
  readonly unknownHistory: boolean;
  readonly context: ProviderContext;
}

export function readResponsesRequest(
  body: JsonObject,
  context: ProviderContext,
  history: { readonly items: readonly JsonObject[]; readonly unknown: boolean },
): ResponsesRequest {
  const model = asText(body.model);
  const version = /gpt-(\d+)(?:\.(\d+))?/.exec(model);
  return {
    body,
    model,
    version: version === null ? 0 : Number(`${version[1]}.${version[2] ?? 0}`),
    backend: context.settings.backend ?? "openai",
    items: [
      ...history.items.map((item) => readItem(item, "history")),
      ...inputItems(body).map((item, at) => readItem(resolveReference(item, context), `input[${at}]`)),
    ],
    unknownHistory: history.unknown,
    context,
  };
}

/** A string is one user message. */
export function inputItems(body: JsonObject): readonly JsonObject[] {
  if (typeof body.input === "string") return [{ type: "message", role: "user", content: body.input }];
  return asObjects(body.input);
}

function readItem(item: JsonObject, path: string): InputItem {
  // A message may leave its type out.
  return { path, type: asText(item.type) || (item.role === undefined ? "" : "message"), item };
}

/** A reference that resolves is the stored item; one that does not stays as it is and is rejected later. */
function resolveReference(item: JsonObject, context: ProviderContext): JsonObject {
  return item.type === "item_reference" ? asObject(context.memory.items.get(asText(item.id)) ?? item) : item;
}
