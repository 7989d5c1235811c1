/** A value of a prompt as a person may see it: cut to the place that moved, and without what looks like a secret. */
import { commonStart } from "./volatile-text.ts";

/** Long enough to recognise the place, short enough for a line of a log. In characters. */
const SHOWN_MAX = 120;

/** Equal characters that are left in front of the place that moved. */
const CONTEXT_MAX = 40;

export interface ShownPair {
  /** Null where there was nothing. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Both values, cut to where they differ. */
export function showPair(before: unknown, after: unknown): ShownPair {
  const [was, is] = [spell(before), spell(after)];
  if (was === null || is === null) return { before: cut(was, 0), after: cut(is, 0) };
  const start = commonStart(was, is);
  const from = Math.max(0, start - CONTEXT_MAX);
  return { before: cut(was, from), after: cut(is, from) };
}

function spell(value: unknown): string | null {
  if (value === undefined) return null;
  return redact(typeof value === "string" ? value : JSON.stringify(value));
}

function cut(text: string | null, from: number): string | null {
  if (text === null) return null;
  const piece = text.slice(from, from + SHOWN_MAX).toWellFormed();
  return `${from > 0 ? "…" : ""}${piece}${from + SHOWN_MAX < text.length ? "…" : ""}`;
}

function redact(text: string): string {
  return SECRETS.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/** The shapes that keys, tokens, mail addresses and home folders have; what stands around them stays readable. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8192}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    "[private key]",
  ],
  [/\beyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{0,4096}/g, "[token]"],
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|glpat|xox[abposr]|github_pat|npm|hf|AIza|ya29)[-_.]?[A-Za-z0-9_-]{16,512}/g, "[key]"],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, "[key]"],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,4096}/gi, "$1 [token]"],
  [
    /((?:password|passwd|secret|token|api[-_]?key|authorization)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;}]{4,512}/gi,
    "$1[secret]",
  ],
  [/:\/\/[^\s/@:]{1,128}:[^\s/@]{1,128}@/g, "://[user]@"],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,32}){1,4}/g, "[mail]"],
  [/((?:\/home|\/Users|[A-Za-z]:\\+Users)[/\\]+)[^/\\\s"']{1,64}/g, "$1[user]"],
];
