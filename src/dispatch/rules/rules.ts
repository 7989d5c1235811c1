/** All rule tables. A new api adds its line here. */
import type { Api, Backend } from "../../wire/api.ts";
import type { Rule } from "../rule.ts";
import { anthropicRules } from "./anthropic-messages.ts";
import { converseRules } from "./bedrock-converse.ts";
import { codexRules } from "./codex.ts";
import { googleRules } from "./google.ts";
import { mistralRules } from "./mistral.ts";
import { compatibleRules } from "./openai-compatible.ts";
import { chatRules } from "./openai-completions.ts";
import { responsesRules } from "./openai-responses.ts";

export const RULES: readonly Rule[] = [
  ...anthropicRules,
  ...chatRules,
  ...compatibleRules,
  ...codexRules,
  ...responsesRules,
  ...googleRules,
  ...mistralRules,
  ...converseRules,
];

const byApi = new Map<Api, readonly Rule[]>();

export function rulesOf(api: Api): readonly Rule[] {
  let rules = byApi.get(api);
  if (rules === undefined) {
    rules = RULES.filter((rule) => rule.apis.includes(api));
    byApi.set(api, rules);
  }
  return rules;
}

/** Apis with a table of their own; what others send is admitted as unmodelled. */
export function isModelled(api: Api): boolean {
  return rulesOf(api).length > 0;
}

/** Who answers an api when nobody says. */
export function defaultBackend(api: Api): Backend {
  const backends: Record<Api, Backend> = {
    "anthropic-messages": "anthropic",
    "openai-completions": "openai",
    "openai-responses": "openai",
    "openai-codex-responses": "codex",
    "azure-openai-responses": "azure",
    "google-generative-ai": "google",
    "google-vertex": "vertex",
    "bedrock-converse-stream": "bedrock",
    "mistral-conversations": "mistral",
  };
  return backends[api];
}

/**
 * Sealed reasoning of one issuer is foreign to every other. The doors to Claude share their signatures; OpenAI and Azure
 * do not share theirs.
 */
export function issuerOf(backend: string): string {
  return backend === "vertex" || backend === "bedrock" ? "anthropic" : backend;
}
