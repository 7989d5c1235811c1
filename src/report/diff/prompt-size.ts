/** How much of a prompt the cache still serves, in bytes of the body and in tokens. */
import { nodeAtPath } from "./body-place.ts";
import type { PromptLayout, PromptPart } from "./prompt-layout.ts";
import type { SessionRequest } from "./session-request.ts";

export interface PromptSize {
  readonly bytes: number;
  readonly tokens: number;
}

/**
 * Where no usage is known: English text and JSON of agents come to about four bytes a token on all providers' tokenizers.
 * With usage, the request's own ratio takes its place.
 */
const BYTES_PER_TOKEN = 4;

export function bytesPerToken(request: SessionRequest): number {
  const tokens = request.promptTokens ?? 0;
  const bytes = sumBytes(request, listParts(request.layout));
  return tokens > 0 && bytes > 0 ? bytes / tokens : BYTES_PER_TOKEN;
}

export function toSize(bytes: number, ratio: number): PromptSize {
  return { bytes, tokens: Math.round(bytes / ratio) };
}

/** All parts in the order of the provider. */
export function listParts(layout: PromptLayout): readonly PromptPart[] {
  return [...layout.tools.parts, ...layout.system.parts, ...layout.history.parts];
}

export function sumBytes(request: SessionRequest, parts: readonly PromptPart[]): number {
  return parts.reduce((sum, part) => sum + bytesOf(request, part), 0);
}

function bytesOf(request: SessionRequest, part: PromptPart): number {
  const node = nodeAtPath(request.root, part.path);
  return node === undefined ? 0 : node.end - node.start;
}
