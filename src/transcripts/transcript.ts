/**
 * The one neutral form that every agent's session file is read into. It holds ids, places, sizes and counts; prompt
 * text stays in the file.
 */

export const agentNames = ["claude-code", "pi", "omp", "opencode", "codex"] as const;
export type AgentName = (typeof agentNames)[number];

/** What one response or a sum of them is paid for. The four input classes do not overlap, except that 1 h is part of write. */
export interface TokenUsage {
  /** Input that was neither read from the cache nor written to it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** All cache writes, whatever their lifetime. */
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that was written for one hour. */
  readonly cacheWrite1h: number;
  /** Searches that the provider made itself; they are paid apart. */
  readonly webSearches: number;
}

export const noUsage: TokenUsage = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 },
  webSearches: 0,
};

/** Everything the provider read for this request: the length of its prompt. */
export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Why a prompt cache did not serve. `unknown` is the honest answer where the file does not show it. */
export type BreakCause =
  | "history_rewritten"
  | "ttl_gap"
  | "model"
  | "system_text"
  | "tools"
  | "tool_added"
  | "tool_removed"
  | "tool_order"
  | "tool_schema"
  | "settings"
  | "cache_marker_only"
  | "unknown";

/** A cause that the file itself records: a logged request, or the provider's own diagnosis. */
export interface ProvenCause {
  readonly cause: BreakCause;
  /** Which tool, message or setting; never prompt text. */
  readonly detail: string | undefined;
}

/** One answered request, as the file tells it. */
export interface ModelResponse {
  /** The same response has the same key in every file that holds a copy of it. */
  readonly key: string;
  /** The name that all rows of the response in one file share, where an agent writes several rows for one. */
  readonly weakKey: string | undefined;
  readonly line: number;
  /** Milliseconds since 1970, NaN where the file has no usable time. */
  readonly at: number;
  /** When the request was sent, NaN where the file does not say. */
  readonly requestAt: number;
  readonly model: string;
  readonly usage: TokenUsage;
  /** Requests of one lane share a prompt; side chains and helper calls have their own. */
  readonly lane: string;
  /** The response whose prompt this one continues, or -1. */
  readonly previous: number;
  /** The provider said why it stopped; without that the output count is a placeholder. */
  readonly stopped: boolean;
  readonly sidechain: boolean;
  /** The row says that another session paid for this response. */
  readonly copy: boolean;
  readonly proven: ProvenCause | undefined;
  /** Speed or tier that is paid apart, as `fast` or `priority`; left out for the standard one. */
  readonly tier?: string | undefined;
  /** What the provider itself charged, in dollars, where the file tells; it stands before any price list. */
  readonly billedUsd?: number | undefined;
  /** Paid beside the turns of the session: a summary, a title, a cache kept warm, an advisor's answer. */
  readonly sideCall?: boolean;
}

export type FindingKind =
  | "open_call"
  | "orphan_result"
  | "duplicate_result"
  | "duplicate_call"
  | "bad_name"
  | "lone_surrogate";

/** A place that the provider rejects on the next request, unless the host heals it on the way out. */
export interface Finding {
  /** Rule id of the provider rules, for example `A-PAIR-1`. */
  readonly rule: string;
  readonly what: FindingKind;
  readonly line: number | null;
  /** Where records are files of their own. */
  readonly file: string | undefined;
  readonly id: string;
  /** The agent is known to repair this itself before it sends. */
  readonly healedByHost: boolean;
}

export type DamageKind =
  | "glued"
  | "duplicate"
  | "conflict"
  | "crlf"
  | "nul_run"
  | "nul_pad"
  | "raw_newline"
  | "raw_control"
  | "torn_line"
  | "torn_tail"
  | "oversized"
  | "unreadable";

export interface Damage {
  readonly line: number | null;
  readonly file: string | undefined;
  readonly kind: DamageKind;
  readonly bytes: number | undefined;
  /** Nothing was lost here. */
  readonly recovered: boolean;
}

/** A file full of CRLF or NUL lines must not fill the memory with entries: the rest is counted. */
const damageListedMax = 1000;

/** What a reader met in a file: counts of records, and the places that were not sound. */
export class RecordTally {
  lines = 0;
  /** Distinct whole records, each on a line (or in a file) of its own. */
  good = 0;
  /** Records that were got out of damaged lines. */
  recovered = 0;
  /** Records of which only a piece is left. */
  lost = 0;
  duplicates = 0;
  readonly damage: Damage[] = [];
  damageUnlisted = 0;

  note(damage: { line: number | null; kind: DamageKind; recovered: boolean; file?: string; bytes?: number }): void {
    if (this.damage.length >= damageListedMax) {
      this.damageUnlisted += 1;
      return;
    }
    this.damage.push({ file: undefined, bytes: undefined, ...damage });
  }
}
