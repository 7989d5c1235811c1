/** One body, judged by itself: what `holdfast check` asks and what a test of a rule asks. */

import { compareRequest, lostCharacters } from "../dispatch/compare.ts";
import { parseBody, readRequest } from "../dispatch/document.ts";
import { repair } from "../dispatch/repair.ts";
import type { JudgeContext } from "../dispatch/rule.ts";
import { defaultBackend, issuerOf } from "../dispatch/rules/rules.ts";
import { ThinkingMemory } from "../dispatch/thinking-memory.ts";
import type { Divergence, Verdict } from "../dispatch/verdict.ts";
import { lineAndColumn } from "../lib/json-spans.ts";
import { type Api, type Backend, isApi, spokenBy } from "../wire/api.ts";
import { detectApi, detectBackend, formatOf } from "../wire/formats.ts";
import { isObject, type Row, type WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { Outcome } from "./engine.ts";
import { judgeWithSpans, withSoft } from "./judge-request.ts";

export interface JudgeHints {
  readonly api?: Api;
  readonly backend?: Backend;
  readonly model?: string;
  readonly url?: string;
  /** Earlier exchanges of the session, oldest first. */
  readonly received?: readonly unknown[];
  /** Rows of the host's own array that the body was encoded from. */
  readonly prepared?: readonly Row[] | null;
}

export type BodyJudgement =
  | {
      readonly kind: "judged";
      readonly api: Api;
      readonly backend: Backend;
      readonly model: string | null;
      /** Whether api or backend were not given and are the family's default. */
      readonly detected: boolean;
      readonly verdict: Verdict;
      /** Results that lost text between the host's array and the body (DG-31); null where no array is known. */
      readonly lost: { readonly results: number; readonly characters: number } | null;
      /** What the gate does with this request before any answer is known. */
      readonly outcome: Outcome;
      readonly edits: readonly RequestEdit[];
      /** All repairs, those of options and content included, each marked by what it changes. */
      readonly allEdits: readonly RequestEdit[];
      /** The body with all repairs, or null where nothing was repaired. */
      readonly repaired: Uint8Array | null;
    }
  | {
      readonly kind: "invalid-json";
      readonly offset: number;
      readonly line: number;
      readonly column: number;
      readonly message: string;
    }
  | { readonly kind: "unknown-api" };

export function judgeBody(bytes: Uint8Array, hints: JudgeHints): BodyJudgement {
  const body = parseBody(bytes);
  if (body.kind === "syntax-fault") return { ...body, ...lineAndColumn(bytes, body.offset), kind: "invalid-json" };
  if (body.kind === "not-an-object") return { kind: "unknown-api" };
  const protocol = hints.api ?? detectApi(body.value);
  if (protocol === null) return { kind: "unknown-api" };
  const api = spokenBy(hints.backend, protocol);
  const request = withModel(readRequest(api, body.value), hints);
  const backend = hints.backend ?? detectBackend(api, body.value) ?? defaultBackend(api);
  const context: JudgeContext = { backend, issuer: issuerOf(backend), memory: memoryOf(hints.received ?? []) };
  const judgement = judgeWithSpans(bytes, request, context);
  const prepared = hints.prepared ?? null;
  const soft = prepared === null ? [] : compareRequest(prepared, request, "host");
  const ahead = repair(bytes, request, judgement.findings, context, (rule) => rule.repair?.changes === "shape");
  const all = repair(bytes, request, judgement.findings, context, () => true);
  return {
    kind: "judged",
    api,
    backend: context.backend,
    model: request.model,
    detected: hints.api === undefined || hints.backend === undefined,
    verdict: soft.length === 0 ? judgement.verdict : withSoft(judgement.verdict, soft),
    lost: prepared === null ? null : lostIn(soft, prepared, request.rows),
    outcome: judgement.findings.length === 0 ? "sent" : ahead.remaining.length === 0 ? "repaired" : "degraded",
    edits: ahead.remaining.length === 0 ? ahead.edits : [],
    allEdits: all.edits,
    repaired: all.edits.length > 0 ? all.bytes : null,
  };
}

function lostIn(soft: readonly Divergence[], prepared: readonly Row[], rows: readonly Row[]) {
  const changed = soft.some((divergence) => divergence.class === "result_content_changed");
  return changed ? lostCharacters(prepared, rows) : { results: 0, characters: 0 };
}

/** What the earlier exchanges show; an entry that is no exchange of a known api is passed over. */
function memoryOf(received: readonly unknown[]): ThinkingMemory | null {
  if (received.length === 0) return null;
  const memory = new ThinkingMemory();
  for (const entry of received) {
    if (!isObject(entry) || !isObject(entry.request)) continue;
    const api = isApi(entry.api) ? entry.api : detectApi(entry.request);
    const format = api === null ? undefined : formatOf(api);
    if (format === undefined) continue;
    const bytes = Buffer.from(JSON.stringify(entry.response ?? null));
    const { rows } = format.readResponse({ status: 200, mediaType: "application/json", bytes });
    const name = issuerOf(typeof entry.backend === "string" ? entry.backend : defaultBackend(format.api));
    const request = format.readRequest(entry.request);
    memory.observe({ issuer: { name, namespace: "", model: request.model }, request, rows, format });
  }
  return memory;
}

/** Gemini and Bedrock carry the model in the URL; a hint stands in where the body names none. */
function withModel(request: WireRequest, hints: JudgeHints): WireRequest {
  const fromUrl = /\/models?\/([^/:?]+)/.exec(hints.url ?? "")?.[1];
  const model = request.model ?? hints.model ?? (fromUrl === undefined ? null : decodeURIComponent(fromUrl));
  return model === request.model ? request : { ...request, model };
}
