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

/** A configured base URL. What it does not say of its api or backend is detected per request. */
export interface Upstream {
  readonly name: string;
  readonly url: string;
  readonly api?: Api;
  readonly backend?: Backend;
}
