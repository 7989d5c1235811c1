import { stat } from "node:fs/promises";
import { costOf, type PriceTable } from "../cache/price.ts";
import { isHoldfastError } from "../lib/error.ts";
import { type CacheBreak, findBreaks } from "./cache-breaks.ts";
import type { FoundSources, Source, UnreadablePlace } from "./find-sources.ts";
import {
  type OpenCodeOptions,
  type OpenCodeSession,
  readDatabase,
  readExport,
  readStorage,
} from "./opencode/session.ts";
import { isGrowing, readRecords } from "./read-records.ts";
import { ResponseLog } from "./response-log.ts";
import { RowIndex } from "./row-index.ts";
import type { JsonlAgent } from "./session-fold.ts";
import { type AgentName, type Finding, noUsage, type RecordTally, type TokenUsage } from "./transcript.ts";

export interface ScannedBreak extends CacheBreak {
  /** What the break cost beyond a cache read; null for a model without a price. */
  readonly costUsd: number | null;
}

export interface ScannedSession {
  readonly agent: AgentName;
  readonly id: string;
  readonly path: string;
  /** Requests that this session paid for: copies in forks are counted where they came from. */
  readonly turns: number;
  readonly tokens: TokenUsage;
  /** Of the turns and the side calls; null where no model of the session has a price. */
  readonly costUsd: number | null;
  readonly sideCalls: SideCalls;
  /** Turns at a speed or tier whose price nobody gave; they stand in the cost at the standard price. */
  readonly turnsAtStandardPrice: number;
  /** What the agent itself counts for the session, its sub-agents and calls that leave no row; null where it does not say. */
  readonly reportedCostUsd: number | null;
  /** Some of its responses stand in another session too, and are counted there. */
  readonly hasCopies: boolean;
  readonly unpricedModels: readonly string[];
  readonly records: RecordTally;
  readonly breaks: readonly ScannedBreak[];
  readonly findings: readonly Finding[];
  /** The provider will answer 400 to the next turn, and the agent does not heal it. */
  readonly bricked: boolean;
}

/** What was paid beside the turns: summaries, titles, a cache kept warm, an advisor's answers. */
export interface SideCalls {
  readonly calls: number;
  readonly tokens: TokenUsage;
  readonly costUsd: number | null;
}

export interface ScanResult {
  readonly sessions: readonly ScannedSession[];
  readonly skippedFiles: number;
  /** Folders and sources that could not be opened at all, with the reason. */
  readonly unreadable: readonly UnreadablePlace[];
}

export interface ScanOptions {
  readonly prices: PriceTable;
  readonly now: number;
  readonly since: number;
  readonly onProgress: (progress: ScanProgress) => void;
}

export interface ScanProgress {
  readonly bytes: number;
  readonly bytesTotal: number;
  readonly sessions: number;
}

/** A session that was read, but not yet counted: a later file may hold the original of what it copied. */
interface ReadSession {
  readonly agent: AgentName;
  readonly id: string;
  readonly path: string;
  readonly records: RecordTally;
  readonly findings: readonly Finding[];
  readonly breaks: readonly CacheBreak[];
  readonly reportedCostUsd: number | null;
}

/** Reads all sources to their end, then counts each response once. Never writes, and no damaged file stops it. */
export async function scan(found: FoundSources, options: ScanOptions): Promise<ScanResult> {
  const log = new ResponseLog();
  const sessions: ReadSession[] = [];
  const unreadable: UnreadablePlace[] = [...found.unreadable];
  const bytesTotal = found.sources.reduce((sum, source) => sum + source.bytes, 0);
  let bytes = 0;
  const onBytes = (read: number) => {
    bytes += read;
    options.onProgress({ bytes, bytesTotal, sessions: sessions.length });
  };
  const run: Run = { log, options, onBytes, nextSession: () => sessions.length };
  for (const source of found.sources) {
    try {
      for await (const session of readSource(source, run)) sessions.push(session);
    } catch (error) {
      unreadable.push({ path: source.path, reason: isHoldfastError(error) ? error.message : String(error) });
    }
    if (source.kind !== "jsonl") onBytes(source.bytes);
  }
  const counts = countResponses(log, sessions.length, options.prices);
  const scanned = sessions.map((session, index) => toScanned(session, counts[index]!, log, options.prices));
  return { sessions: scanned.sort(worstFirst), skippedFiles: found.skipped, unreadable };
}

interface Run {
  readonly log: ResponseLog;
  readonly options: ScanOptions;
  readonly onBytes: (bytes: number) => void;
  readonly nextSession: () => number;
}

async function* readSource(source: Source, run: Run): AsyncGenerator<ReadSession> {
  const { options } = run;
  const common: OpenCodeOptions = {
    log: run.log,
    nextSession: run.nextSession,
    now: options.now,
    since: options.since,
  };
  switch (source.kind) {
    case "jsonl":
      yield await readJsonl(source.agent, source.path, run);
      return;
    case "database":
      for await (const session of readDatabase(source.path, common)) yield fromOpenCode(session, run.log);
      return;
    case "storage":
      for await (const session of readStorage(source.path, common)) yield fromOpenCode(session, run.log);
      return;
    case "export": {
      const session = await readExport(source.path, common);
      if (session !== undefined) yield fromOpenCode(session, run.log);
    }
  }
}

async function readJsonl(agent: JsonlAgent, path: string, run: Run): Promise<ReadSession> {
  const { now } = run.options;
  const { size } = await stat(path);
  const responses = run.log.openSession(run.nextSession());
  const rows = new RowIndex();
  const fold = agent.openFold(path, rows, responses);
  const records = await readRecords(
    path,
    agent.rules,
    rows,
    (record) => fold.visit(record),
    () => fold.lastAt(),
    { now, onBytes: run.onBytes },
  );
  const live = fold.hasCallAtEnd() && (await isGrowing(path, size, fold.lastAt(), now));
  const { id, findings, habit, reportedCostUsd = null } = fold.finish(live);
  const breaks = findBreaks(run.log, responses, habit);
  return { agent: agent.agent, id, path, records, findings, breaks, reportedCostUsd };
}

function fromOpenCode({ path, tally, folded, responses }: OpenCodeSession, log: ResponseLog): ReadSession {
  const breaks = findBreaks(log, responses, folded.habit);
  return {
    ...{ agent: "opencode", id: folded.id, path, records: tally },
    ...{ findings: folded.findings, breaks, reportedCostUsd: null },
  };
}

interface SessionCount {
  readonly turns: Count;
  readonly sideCalls: Count;
  copies: number;
  turnsAtStandardPrice: number;
}

function countResponses(log: ResponseLog, sessions: number, prices: PriceTable): readonly SessionCount[] {
  const counts: SessionCount[] = [];
  for (let i = 0; i < sessions; i++)
    counts.push({ turns: new Count(), sideCalls: new Count(), copies: 0, turnsAtStandardPrice: 0 });
  for (let index = 0; index < log.count; index++) {
    const count = counts[log.get(index, "session")]!;
    if (log.get(index, "counted") === 0) {
      count.copies += 1;
      continue;
    }
    const isSideCall = log.get(index, "sideCall") === 1;
    const costUsd = costOfResponse(log, index, prices);
    (isSideCall ? count.sideCalls : count.turns).add(log.usageOf(index), costUsd, log.modelOf(index));
    const isOwnPrice = prices.knowsTier(log.modelOf(index), log.tierOf(index));
    if (!isSideCall && costUsd !== null && !isOwnPrice) count.turnsAtStandardPrice += 1;
  }
  return counts;
}

/** A sum of responses. */
class Count {
  responses = 0;
  tokens: TokenUsage = noUsage;
  readonly unpriced = new Set<string>();
  #knownUsd: number | null = null;

  add(usage: TokenUsage, costUsd: number | null, model: string): void {
    this.responses += 1;
    this.tokens = addUsage(this.tokens, usage);
    if (costUsd === null) this.unpriced.add(model);
    else this.#knownUsd = (this.#knownUsd ?? 0) + costUsd;
  }

  /** Nothing costs nothing; where no response has a price, nobody knows what they cost. */
  get costUsd(): number | null {
    return this.unpriced.size === 0 ? (this.#knownUsd ?? 0) : this.#knownUsd;
  }
}

/** Null for a model that no table knows. */
function costOfResponse(log: ResponseLog, index: number, prices: PriceTable): number | null {
  const billedUsd = log.get(index, "billedUsd");
  if (!Number.isNaN(billedUsd)) return billedUsd;
  const price = prices.find(log.modelOf(index), log.get(index, "at"), log.tierOf(index));
  return price === undefined ? null : costOf(log.usageOf(index), price);
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    webSearches: a.webSearches + b.webSearches,
  };
}

function toScanned(session: ReadSession, count: SessionCount, log: ResponseLog, prices: PriceTable): ScannedSession {
  const { agent, id, path, records, findings, reportedCostUsd } = session;
  const { turns, sideCalls } = count;
  const breaks = session.breaks
    .filter((found) => log.get(found.response, "counted") === 1)
    .map((found) => ({ ...found, costUsd: costOfBreak(found, log, prices) }));
  return {
    ...{ agent, id, path, records, findings, breaks, reportedCostUsd, hasCopies: count.copies > 0 },
    ...{ turns: turns.responses, tokens: turns.tokens, costUsd: addKnown(turns.costUsd, sideCalls) },
    sideCalls: { calls: sideCalls.responses, tokens: sideCalls.tokens, costUsd: sideCalls.costUsd },
    turnsAtStandardPrice: count.turnsAtStandardPrice,
    unpricedModels: [...new Set([...turns.unpriced, ...sideCalls.unpriced])],
    bricked: findings.some((finding) => !finding.healedByHost),
  };
}

/** Side calls add to the turns' cost; where they alone have a price, theirs is what is known. */
function addKnown(turnsUsd: number | null, sideCalls: Count): number | null {
  if (sideCalls.responses === 0 || sideCalls.costUsd === null) return turnsUsd;
  return (turnsUsd ?? 0) + sideCalls.costUsd;
}

/** The difference between what was paid and what the same request costs with an intact cache. */
function costOfBreak(found: CacheBreak, log: ResponseLog, prices: PriceTable): number | null {
  const price = prices.find(log.modelOf(found.response), log.get(found.response, "at"), log.tierOf(found.response));
  if (price === undefined) return null;
  const paid = log.usageOf(found.response);
  const written = Math.min(found.rewritten, paid.cacheWrite);
  const cacheWrite = paid.cacheWrite - written;
  const intact: TokenUsage = {
    input: Math.max(0, paid.input - (found.rewritten - written)),
    output: paid.output,
    cacheRead: paid.cacheRead + found.rewritten,
    cacheWrite,
    cacheWrite1h: paid.cacheWrite === 0 ? 0 : (paid.cacheWrite1h * cacheWrite) / paid.cacheWrite,
    webSearches: paid.webSearches,
  };
  return costOf(paid, price) - costOf(intact, price);
}

/** Bricked sessions first, then by what their breaks cost, then by what they cost at all. */
function worstFirst(a: ScannedSession, b: ScannedSession): number {
  return (
    Number(b.bricked) - Number(a.bricked) ||
    b.findings.length - a.findings.length ||
    lossOf(b) - lossOf(a) ||
    (b.costUsd ?? 0) - (a.costUsd ?? 0) ||
    (a.path < b.path ? -1 : 1)
  );
}

/** Dollars lost to breaks; without a price, tokens scaled so that they only order sessions among themselves. */
export function lossOf(session: ScannedSession): number {
  return session.breaks.reduce((sum, found) => sum + (found.costUsd ?? found.rewritten * 1e-9), 0);
}
