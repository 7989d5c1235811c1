/**
 * The closed lists of wire protocols and of the servers that speak them. `api` is named as Pi and OMP name it, so that
 * shape keys of all surfaces match.
 */

export const APIS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
  "google-generative-ai",
  "google-vertex",
  "bedrock-converse-stream",
  "mistral-conversations",
] as const;

export type Api = (typeof APIS)[number];

export const BACKENDS = [
  "anthropic",
  "bedrock",
  "vertex",
  "openai",
  "azure",
  "codex",
  "google",
  "mistral",
  "deepseek",
  "moonshot",
  "groq",
  "cerebras",
  "zai",
  "qwen",
  "ollama",
  "vllm",
  "llamacpp",
  "lmstudio",
  "unknown",
] as const;

export type Backend = (typeof BACKENDS)[number];

export function isApi(value: unknown): value is Api {
  return APIS.includes(value as Api);
}

export function isBackend(value: unknown): value is Backend {
  return BACKENDS.includes(value as Backend);
}

/** Some servers have a name for their own kind of a protocol that others speak too. */
export function spokenBy(backend: Backend | undefined, api: Api): Api {
  return OWN_KINDS.find((own) => own.api === api && own.backend === backend)?.kind ?? api;
}

const OWN_KINDS: readonly { readonly api: Api; readonly backend: Backend; readonly kind: Api }[] = [
  { api: "openai-responses", backend: "codex", kind: "openai-codex-responses" },
  { api: "openai-responses", backend: "azure", kind: "azure-openai-responses" },
  { api: "openai-completions", backend: "mistral", kind: "mistral-conversations" },
  { api: "google-generative-ai", backend: "vertex", kind: "google-vertex" },
];

/** A configured base URL. What it does not say of its api or backend is detected per request. */
export interface Upstream {
  readonly name: string;
  readonly url: string;
  readonly api?: Api;
  readonly backend?: Backend;
}
