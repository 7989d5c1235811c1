import { addUsage, type ScannedBreak, type ScannedSession, type ScanResult, type SideCalls } from "./scan.ts";
import { type Damage, type Finding, noUsage, type TokenUsage } from "./transcript.ts";
import { unlistedCostOf } from "./unlisted-cost.ts";

/** The JSON of `holdfast scan`, stable from the first release on. Adding a member is fine, renaming is not. */
export function toScanDocument(result: ScanResult) {
  return { schema: 1 as const, sessions: result.sessions.map(toSessionDocument), totals: toTotals(result) };
}

export type ScanTotals = ReturnType<typeof toTotals>;

/** Sums over all sessions; each response is in them once. */
export function toTotals({ sessions, skippedFiles, unreadable }: ScanResult) {
  const sum = (of: (session: ScannedSession) => number) => sessions.reduce((total, one) => total + of(one), 0);
  const breaks = sessions.flatMap((session) => session.breaks);
  const unpriced = new Set(sessions.flatMap((session) => session.unpricedModels));
  return {
    sessions: sessions.length,
    turns: sum((session) => session.turns),
    records: {
      lines: sum(({ records }) => records.lines),
      good: sum(({ records }) => records.good),
      recovered: sum(({ records }) => records.recovered),
      lost: sum(({ records }) => records.lost),
      duplicates: sum(({ records }) => records.duplicates),
    },
    tokens: toTokens(sessions.reduce((total, session) => addUsage(total, session.tokens), noUsage)),
    web_searches: sum(({ tokens, sideCalls }) => tokens.webSearches + sideCalls.tokens.webSearches),
    cost_usd: sumOfKnown(sessions.map((session) => session.costUsd)),
    side_calls: toSideCalls({
      calls: sum(({ sideCalls }) => sideCalls.calls),
      tokens: sessions.reduce((total, { sideCalls }) => addUsage(total, sideCalls.tokens), noUsage),
      costUsd: sumOfKnown(sessions.map(({ sideCalls }) => sideCalls.costUsd)),
    }),
    turns_at_standard_price: sum((session) => session.turnsAtStandardPrice),
    unlisted_cost_usd: roundUsd(sum((session) => unlistedCostOf(session, sessions) ?? 0)),
    unpriced_models: [...unpriced].sort(),
    breaks: breaks.length,
    rewritten: breaks.reduce((total, found) => total + found.rewritten, 0),
    breaks_cost_usd: sumOfKnown(breaks.map((found) => found.costUsd)),
    findings: sum((session) => session.findings.length),
    bricked: sum((session) => Number(session.bricked)),
    skipped_files: skippedFiles,
    unreadable: unreadable.map(({ path, reason }) => ({ path, reason })),
  };
}

function toSessionDocument(session: ScannedSession) {
  const { agent, id, path, turns, records } = session;
  return {
    ...{ agent, id, path, turns },
    records: {
      lines: records.lines,
      good: records.good,
      recovered: records.recovered,
      lost: records.lost,
      duplicates: records.duplicates,
    },
    damage: records.damage.map(toDamage),
    damage_unlisted: records.damageUnlisted,
    tokens: toTokens(session.tokens),
    web_searches: session.tokens.webSearches + session.sideCalls.tokens.webSearches,
    cost_usd: session.costUsd === null ? null : roundUsd(session.costUsd),
    side_calls: toSideCalls(session.sideCalls),
    turns_at_standard_price: session.turnsAtStandardPrice,
    reported_cost_usd: session.reportedCostUsd === null ? null : roundUsd(session.reportedCostUsd),
    unpriced_models: session.unpricedModels,
    breaks: session.breaks.map(toBreak),
    findings: session.findings.map(toFindingDocument),
    bricked: session.bricked,
  };
}

function toDamage({ line, file, kind, bytes, recovered }: Damage) {
  return { line, ...(file !== undefined && { file }), kind, ...(bytes !== undefined && { bytes }), recovered };
}

function toTokens(usage: TokenUsage) {
  return {
    input: usage.input,
    output: usage.output,
    cache_read: usage.cacheRead,
    cache_creation: usage.cacheWrite,
    cache_creation_1h: usage.cacheWrite1h,
  };
}

/** They are in `cost_usd`, and not in `turns` and `tokens`. */
function toSideCalls({ calls, tokens, costUsd }: SideCalls) {
  return { calls, tokens: toTokens(tokens), cost_usd: costUsd === null ? null : roundUsd(costUsd) };
}

function toBreak(found: ScannedBreak) {
  const { request, cause, detail, proven, read, rewritten } = found;
  return {
    // Where every message is a file of its own, the request number is the place.
    line: found.line === 0 ? null : found.line,
    request,
    cause,
    ...(detail !== undefined && { detail }),
    proven,
    expected_read: found.expectedRead,
    read,
    rewritten,
    gap_seconds: Number.isNaN(found.gapMs) ? null : Math.round(found.gapMs / 1000),
    cost_usd: found.costUsd === null ? null : roundUsd(found.costUsd),
  };
}

function toFindingDocument({ rule, what, line, file, id, healedByHost }: Finding) {
  return { rule, what, line, ...(file !== undefined && { file }), id, healed_by_host: healedByHost };
}

/** Null where nothing at all has a price: 0 would read as free. */
function sumOfKnown(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 && amounts.length > 0 ? null : roundUsd(known.reduce((sum, amount) => sum + amount, 0));
}

/** Millionths of a dollar: below them stand only the traces of floating point. */
function roundUsd(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
