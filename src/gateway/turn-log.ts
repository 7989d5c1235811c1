/** The last turns and the sessions they belong to, in memory and without content: what the status page shows. */
import type { Mode, RequestRecord, ResponseRecord } from "../engine/engine.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Usage } from "../wire/response.ts";
import type { PrefixEntry } from "./prefix-cause.ts";

/** Enough for a person to find the turn that they just made. */
const TURNS_MAX = 200;
const SESSIONS_MAX = 500;

export interface TurnEntry {
  readonly id: string;
  readonly at: number;
  readonly upstream: string;
  readonly mode: Mode;
  readonly api: string | null;
  readonly model: string | null;
  readonly session: string | null;
  readonly lane: string | null;
  readonly bytes: number;
  readonly rows: number;
  readonly verdict: string;
  readonly outcome: string;
  readonly violations: readonly { readonly rule: string; readonly path: string; readonly message: string }[];
  readonly divergences: readonly { readonly class: string; readonly path: string; readonly count: number }[];
  readonly edits: readonly {
    readonly op: string;
    readonly path: string;
    readonly rule: string;
    readonly changes: string;
  }[];
  /** Null where the client left first. */
  readonly status: number | null;
  /** Our own error code, where no answer came. */
  readonly error: string | null;
  /** False where the answer ended early. */
  readonly complete: boolean;
  readonly duration_ms: number;
  readonly usage: UsageEntry | null;
  readonly rejection: { readonly rule: string | null; readonly path: string | null; readonly message: string } | null;
  /** Of a repaired, captured or rejected request, for comparing with a dump. */
  readonly body_sha256: { readonly received: string; readonly sent: string } | null;
  /** Why the cache of the turn before does not serve this one; null where it does. */
  readonly prefix: PrefixEntry | null;
}

/** A request whose prefix moved, and whose answer is not complete yet. */
export interface WaitingTurn
  extends Pick<TurnEntry, "id" | "at" | "upstream" | "model" | "session" | "lane" | "bytes" | "rows"> {
  readonly prefix: PrefixEntry;
}

export interface UsageEntry {
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly output_tokens: number;
}

export interface SessionEntry {
  readonly session: string;
  readonly upstream: string;
  readonly model: string | null;
  readonly turns: number;
  readonly repaired: number;
  readonly degraded: number;
  readonly last_at: number;
  readonly usage: UsageEntry;
}

export interface TurnLog {
  /** It waits until its turn is added, or it is given up. */
  expect(waiting: WaitingTurn): void;
  giveUp(id: string): void;
  add(entry: TurnEntry): void;
  /** Newest first. */
  turns(session?: string): readonly TurnEntry[];
  /** Newest first. */
  waiting(session?: string): readonly WaitingTurn[];
  sessions(): readonly SessionEntry[];
}

export interface TurnEnd {
  readonly mode: Mode;
  readonly status: number | null;
  readonly error: string | null;
  readonly complete: boolean;
  readonly durationMs: number;
  readonly response: ResponseRecord | null;
  readonly prefix: PrefixEntry | null;
}

/** Copies named members only, so that a value of an edit, which may hold content, stays where it is. */
export function toTurnEntry(record: RequestRecord, end: TurnEnd): TurnEntry {
  const { verdict } = record;
  return {
    id: record.id,
    at: record.at,
    upstream: record.upstream,
    mode: end.mode,
    api: record.api,
    model: record.model,
    session: record.session,
    lane: record.lane,
    bytes: record.bytes,
    rows: record.rows,
    verdict: verdict.kind,
    outcome: record.outcome,
    violations:
      verdict.kind === "unsafe" ? verdict.hard.map(({ rule, path, message }) => ({ rule, path, message })) : [],
    divergences: verdict.kind === "admit" ? [] : verdict.soft,
    edits: record.edits.map(({ op, path, rule, changes }) => ({ op, path, rule, changes })),
    status: end.status,
    error: end.error,
    complete: end.complete,
    duration_ms: end.durationMs,
    usage: end.response?.usage ? toUsageEntry(end.response.usage) : null,
    rejection: toRejectionEntry(end.response?.rejection ?? null),
    body_sha256: record.bodySha256 ?? end.response?.rejection?.bodySha256 ?? null,
    prefix: end.prefix,
  };
}

function toRejectionEntry(rejection: ResponseRecord["rejection"]): TurnEntry["rejection"] {
  if (rejection === null) return null;
  const { rule, path, message } = rejection;
  return { rule, path, message };
}

export function toWaitingTurn(record: RequestRecord, prefix: PrefixEntry): WaitingTurn {
  const { id, at, upstream, model, session, lane, bytes, rows } = record;
  return { id, at, upstream, model, session, lane, bytes, rows, prefix };
}

export function createTurnLog(): TurnLog {
  const turns: TurnEntry[] = [];
  const waiting = new BoundedMap<string, WaitingTurn>(TURNS_MAX);
  const ofSession = <T extends { session: string | null }>(list: readonly T[], session?: string) =>
    list.filter((turn) => session === undefined || turn.session === session);
  const sessions = new BoundedMap<string, SessionEntry>(SESSIONS_MAX);
  return {
    expect: (turn) => waiting.set(turn.id, turn),
    giveUp: (id) => void waiting.delete(id),
    add(entry) {
      waiting.delete(entry.id);
      // One whose prefix is looked at, or whose answer is long, ends behind those that came after it.
      const older = turns.findIndex(({ at }) => at <= entry.at);
      turns.splice(older === -1 ? turns.length : older, 0, entry);
      if (turns.length > TURNS_MAX) turns.pop();
      if (entry.session !== null)
        sessions.set(entry.session, addTurn(sessions.get(entry.session), entry.session, entry));
    },
    turns: (session) => ofSession(turns, session),
    waiting: (session) => ofSession(waiting.values().reverse(), session),
    sessions: () => sessions.values().reverse(),
  };
}

function addTurn(before: SessionEntry | undefined, session: string, turn: TurnEntry): SessionEntry {
  return {
    session,
    upstream: turn.upstream,
    model: turn.model,
    turns: (before?.turns ?? 0) + 1,
    repaired: (before?.repaired ?? 0) + (turn.outcome === "repaired" ? 1 : 0),
    degraded: (before?.degraded ?? 0) + (turn.outcome === "degraded" ? 1 : 0),
    last_at: turn.at,
    usage: addUsage(before?.usage ?? noUsage, turn.usage ?? noUsage),
  };
}

const noUsage: UsageEntry = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 0,
};

function addUsage(a: UsageEntry, b: UsageEntry): UsageEntry {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    cache_write_1h_tokens: a.cache_write_1h_tokens + b.cache_write_1h_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}

function toUsageEntry(usage: Usage): UsageEntry {
  return {
    input_tokens: usage.inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cache_write_1h_tokens: usage.cacheWrite1hTokens,
    output_tokens: usage.outputTokens,
  };
}
