/** Which api a request speaks and who answers it: from the upstream's configuration, the path, and then the body. */
import { defaultBackend } from "../dispatch/rules/rules.ts";
import { type Api, type Backend, spokenBy, type Upstream } from "../wire/api.ts";
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
  return {
    api: spokenBy(upstream.backend, api),
    backend: upstream.backend ?? "unknown",
    modelInPath: modelIn(pathname),
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

/** Gemini has a verb behind a colon; the colons of Bedrock belong to the id. */
function modelIn(pathname: string): string | null {
  const model = (/\/model\/([^/]+)\/converse/.exec(pathname) ?? /\/models?\/([^/:]+)/.exec(pathname))?.[1];
  if (model === undefined) return null;
  try {
    return decodeURIComponent(model);
  } catch {
    // Expected: a path from outside. Its server will say what it thinks of it.
    return null;
  }
}
