/** One request of a session, opened for comparison: its bytes, its values, the places of its values, its prompt. */
import { isSyntaxFault, type JsonNode, lineAndColumn, scanJson } from "../../lib/json-spans.ts";
import type { Api } from "../../wire/api.ts";
import { detectApi } from "../../wire/formats.ts";
import { isObject, type JsonObject } from "../../wire/request.ts";
import { layOutPrompt, type PromptLayout } from "./prompt-layout.ts";

/** What is known of a request beside its body. */
export interface RequestContext {
  readonly api?: Api | undefined;
  /** Gemini and Bedrock carry it in the URL. */
  readonly model?: string | undefined;
  readonly url?: string | undefined;
  /** All input tokens that the provider counted for this request: cached, written and plain. */
  readonly promptTokens?: number | undefined;
}

export interface SessionRequest {
  readonly kind: "request";
  readonly bytes: Uint8Array;
  readonly root: JsonNode;
  readonly body: JsonObject;
  readonly api: Api;
  readonly model: string | null;
  readonly layout: PromptLayout;
  readonly promptTokens: number | null;
}

export interface UnusableRequest {
  readonly kind: "unusable";
  /** One-based, null where the fault has no place. */
  readonly place: { readonly line: number; readonly column: number } | null;
  readonly message: string;
}

export function openSessionRequest(bytes: Uint8Array, context: RequestContext): SessionRequest | UnusableRequest {
  const root = scanJson(bytes);
  if (isSyntaxFault(root)) return { kind: "unusable", place: lineAndColumn(bytes, root.offset), message: root.message };
  const body: unknown = JSON.parse(Buffer.from(bytes).toString());
  if (!isObject(body))
    return { kind: "unusable", place: null, message: "not a request: the document is no JSON object" };
  const api = context.api ?? detectApi(body);
  if (api === null) {
    return { kind: "unusable", place: null, message: "no API recognised by the body's shape; name it with --api" };
  }
  return {
    kind: "request",
    bytes,
    root,
    body,
    api,
    model: findModel(body, context),
    layout: layOutPrompt(body, api),
    promptTokens: context.promptTokens ?? null,
  };
}

function findModel(body: JsonObject, { model, url }: RequestContext): string | null {
  if (typeof body.model === "string") return body.model;
  if (model !== undefined) return model;
  const named = /\/(?:models?|deployments)\/([^/?]+?)(?::[a-zA-Z]+)?(?:[/?]|$)/.exec(url ?? "")?.[1];
  return named === undefined ? null : safeDecode(named);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone percent sign: the text as it stands still tells two models apart.
  }
}
