/**
 * The rules on our own texts (DG-62). They speak of nothing but texts that somebody has given us to watch: what a host
 * trims of its own stays soft. No provider rejects what they find, and none of them has a repair (ADR-0761).
 */
import type { Verdict, Violation } from "./verdict.ts";

export type OwnRule = "OWN-LOST" | "OWN-TWICE" | "OWN-STALE" | "OWN-TEXT" | "CHAIN";

export function ownViolation(rule: OwnRule, path: string, block: string | null): Violation {
  const message = block === null ? SENTENCES[rule] : `${block}: ${SENTENCES[rule]}`;
  return { rule, path, message, origin: "own", repair: null, source: SOURCE };
}

const SENTENCES: Record<OwnRule, string> = {
  "OWN-LOST": "this block was in the conversation, which goes on without it",
  "OWN-TWICE": "this block is in the request twice",
  "OWN-STALE": "an older version of this block is in the request",
  "OWN-TEXT": "a part of this block is there, the rest was rewritten",
  CHAIN: "the request continues an answer that is not the last one of its conversation",
};

/** They are known from nowhere else. */
const SOURCE = "docs/spec/dispatch.md";

export function withOwn(verdict: Verdict, own: readonly Violation[]): Verdict {
  if (own.length === 0) return verdict;
  const { hard, soft } = { hard: [], soft: [], ...verdict };
  return { kind: "unsafe", hard: [...hard, ...own], soft };
}

export function isOwn({ origin }: Violation): boolean {
  return origin === "own";
}
