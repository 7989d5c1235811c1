/** Which api a request speaks and who answers it: from the upstream's configuration, the path, and then the body. */
import { defaultBackend } from "../dispatch/rules/rules.ts";
import type { Api, Backend, Upstream } from "../wire/api.ts";
import { detectApi } from "../wire/formats.ts";
import type { JsonObject } from "../wire/request.ts";

export interface RequestTarget {
  readonly api: Api;
  readonly backend: Backend;
  /** The model where only the URL names it. */
  readonly modelInPath: string | null;
}

/** Null for a path that carries no history: models, embeddings, token counts. Those are nobody's turn. */
export function targetOf(upstream: Upstream, path: string, body: JsonObject): RequestTarget | null {
  const pathname = path.split("?", 1)[0]!;
  const fromPath = PATHS.find(({ pattern }) => pattern.test(pathname))?.api;
  if (fromPath === undefined && !HISTORY_MEMBERS.some((name) => name in body)) return null;
  if (/\/(count_tokens|embeddings|moderations)$/.test(pathname)) return null;
  const api = upstream.api ?? fromPath ?? detectApi(body);
  if (api === null) return null;
  const spoken = api === "openai-responses" ? responsesOf(upstream.backend) : api;
  const model = /\/models?\/([^/:]+)/.exec(pathname)?.[1];
  return {
    api: spoken,
    backend: upstream.backend ?? "unknown",
    modelInPath: model === undefined ? null : decodeURIComponent(model),
  };
}

/** Backend `unknown` with the backend that its api usually has: only for explaining a rejection that has happened. */
export function assumedBackend(target: RequestTarget): Backend {
  return target.backend === "unknown" ? defaultBackend(target.api) : target.backend;
}

const HISTORY_MEMBERS = ["messages", "input", "contents"];

const PATHS: readonly { readonly pattern: RegExp; readonly api: Api }[] = [
  { pattern: /\/messages$/, api: "anthropic-messages" },
  { pattern: /\/chat\/completions$/, api: "openai-completions" },
  { pattern: /\/responses$/, api: "openai-responses" },
  { pattern: /:(stream)?generateContent$/i, api: "google-generative-ai" },
  { pattern: /\/converse(-stream)?$/, api: "bedrock-converse-stream" },
];

function responsesOf(backend: Backend | undefined): Api {
  if (backend === "codex") return "openai-codex-responses";
  return backend === "azure" ? "azure-openai-responses" : "openai-responses";
}
