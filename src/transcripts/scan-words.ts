import type { BreakCause, DamageKind, Finding, FindingKind } from "./transcript.ts";

/** What `scan` found, in the words of the person whose session it is. */

/** Fits behind "the cache was lost:". */
const causeWords: Record<BreakCause, string> = {
  history_rewritten: "earlier messages were changed after they had been sent",
  ttl_gap: "the pause was longer than the cache lives",
  model: "the model was switched",
  system_text: "the system text changed",
  tools: "the tools changed",
  tool_added: "a tool was added",
  tool_removed: "a tool was removed",
  tool_order: "the tools changed their order",
  tool_schema: "the description of a tool changed",
  settings: "thinking or another setting was changed",
  cache_marker_only: "the cache markers moved",
  unknown: "the file does not show why",
};

const causeAdvice: Record<BreakCause, string> = {
  history_rewritten: "Look for an extension or setting that trims, edits or re-orders old messages during a session.",
  ttl_gap: "Before a long break, compact or finish; after it, a new session is cheaper than a long old one.",
  model: "Choose the model before the session grows: each switch pays for the whole history again.",
  system_text: "Keep clocks, git state and other moving text out of the system prompt.",
  tools: "Connect all tools before the first turn and keep them for the session.",
  tool_added: "Connect all tools before the first turn and keep them for the session.",
  tool_removed: "Keep tools for the whole session; a server that reconnects should not drop its tools.",
  tool_order: "Sort the tools by name wherever the list is built.",
  tool_schema: "A tool server that rewrites its own descriptions should keep them fixed for a session.",
  settings: "Set thinking, effort and speed before the session grows.",
  cache_marker_only: "Keep the place and the lifetime of cache markers the same on every turn.",
  unknown: "Run the agent through `holdfast start`: it sees every request and names the cause.",
};

const findingWords: Record<FindingKind, string> = {
  open_call: "a tool call has no result",
  orphan_result: "a tool result has no call before it",
  duplicate_result: "a tool call has two results",
  duplicate_call: "two tool calls share one id",
  bad_name: "a tool name holds characters that no provider takes",
  lone_surrogate: "a text holds half a character, so the request is not valid JSON",
};

const damageWords: Record<DamageKind, string> = {
  glued: "two records on one line",
  duplicate: "a record written twice",
  conflict: "two records with one id",
  crlf: "Windows line ends",
  nul_run: "a run of NUL bytes",
  nul_pad: "a record padded with NUL bytes",
  raw_newline: "a record broken over lines",
  raw_control: "raw control bytes",
  torn_line: "a record that was cut",
  torn_tail: "an unfinished record at the end",
  oversized: "a record too long to read",
  unreadable: "a part that cannot be read",
};

export function describeCause(cause: BreakCause, detail: string | undefined): string {
  return detail === undefined ? causeWords[cause] : `${causeWords[cause]} (${detail})`;
}

export function adviseOnCause(cause: BreakCause): string {
  return causeAdvice[cause];
}

export function describeFinding(finding: Finding): string {
  return `${findingWords[finding.what]} (${finding.id})`;
}

export function describeDamage(kind: DamageKind): string {
  return damageWords[kind];
}
