/** Broken prefixes as findings, for the formats that CI reads. */
import type { Api } from "../../wire/api.ts";
import type { Finding } from "../finding.ts";
import { describeCause } from "./cause-words.ts";
import type { DiffRecord } from "./diff-record.ts";

/** The finding of a broken prefix; null where the prefix is kept. */
export function toDiffFinding(record: DiffRecord, place: Pick<Finding, "file" | "line">): Finding | null {
  if (record.prefix_kept) return null;
  const { happened, advice } = describeCause(record);
  const rejected = record.hard.length > 0 ? ` The provider rejects this request (${record.hard.join(", ")}).` : "";
  const message = `${happened}; about ${record.lost.tokens} tokens of the cached prefix ${record.certain ? "are" : "may be"} lost. To do: ${advice}.${rejected}`;
  return {
    id: `prefix/${record.cause}`,
    level: record.certain ? "error" : "warning",
    message,
    ...place,
    path: record.path,
    helpUri: CACHING_DOCS[record.api],
  };
}

/** Where the provider explains what its cache compares. */
const CACHING_DOCS: Readonly<Record<Api, string>> = {
  "anthropic-messages": "https://platform.claude.com/docs/en/build-with-claude/prompt-caching",
  "openai-completions": "https://developers.openai.com/api/docs/guides/prompt-caching",
  "openai-responses": "https://developers.openai.com/api/docs/guides/prompt-caching",
  "openai-codex-responses": "https://developers.openai.com/api/docs/guides/prompt-caching",
  "azure-openai-responses": "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching",
  "google-generative-ai": "https://ai.google.dev/gemini-api/docs/caching",
  "google-vertex": "https://cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-overview",
  "bedrock-converse-stream": "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
  "mistral-conversations": "https://docs.mistral.ai/api",
};
