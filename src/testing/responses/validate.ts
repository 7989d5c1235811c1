/**
 * Answers a Responses request as OpenAI, Azure or the Codex back end would. Items are judged as sets and neighbours over
 * the whole history, the part that the server holds included.
 */
import { asObject, type JsonObject } from "../json-value.ts";
import { createProviderContext, type ProviderContext } from "../provider-context.ts";
import { firstEnforced, type Rejection } from "../rejection.ts";
import { codexFindings } from "./codex.ts";
import { responsesError } from "./error.ts";
import { resolveHistory } from "./history.ts";
import { identityFindings } from "./identity.ts";
import { pairFindings } from "./pairs.ts";
import { reasoningFindings } from "./reasoning.ts";
import { type ResponsesRequest, readResponsesRequest } from "./responses-request.ts";
import { shapeFindings } from "./shape.ts";

export type ResponsesVerdict =
  | { readonly status: 200; readonly request: ResponsesRequest; readonly history: readonly JsonObject[] }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

export function validateResponses(body: unknown, context: ProviderContext = createProviderContext()): ResponsesVerdict {
  const { accepts, extraRules } = context.settings;
  const resolved = resolveHistory(asObject(body), context);
  const history = resolved.kind === "resolved" ? resolved : { items: [], unknown: true };
  const request = readResponsesRequest(asObject(body), context, history);
  const anchor = resolved.kind === "rejected" ? [resolved.rejection] : [];
  const rejection = firstEnforced(body, findings(request, anchor), extraRules, accepts);
  if (rejection === null) return { status: 200, request, history: history.items };
  return { status: rejection.status ?? 400, rule: rejection.rule, body: responsesError(request.backend, rejection) };
}

function* findings(request: ResponsesRequest, anchor: readonly Rejection[]): Generator<Rejection> {
  if (request.backend === "codex") yield* codexFindings(request);
  yield* anchor;
  yield* shapeFindings(request);
  yield* identityFindings(request);
  yield* pairFindings(request);
  yield* reasoningFindings(request);
}
