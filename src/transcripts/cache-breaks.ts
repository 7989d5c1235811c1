import type { ResponseLog, SessionResponses } from "./response-log.ts";
import { type BreakCause, type ProvenCause, promptTokens, type TokenUsage } from "./transcript.ts";

/** How a provider's cache shows itself in usage numbers. */
export interface CacheHabit {
  /** What an intact cache would read, from the usage of the response before. */
  expectedRead(before: TokenUsage): number;
  /** Less than this short of the expectation is no break. */
  tolerance(expectedRead: number): number;
  /** The part of the tier that has a cache of its own, empty for the common one. */
  poolOf(tier: string): string;
  /** How long an entry lives that nobody reads, in ms. */
  ttlMs(wroteOneHour: boolean): number;
}

/** Anthropic and what speaks its protocol: everything read or written last time can be read again, to the token. */
export const anthropicHabit: CacheHabit = {
  expectedRead: (before) => before.cacheRead + before.cacheWrite,
  // Old reminders and thinking that a host takes out move the end by a few tokens; they are not worth a line.
  tolerance: (expected) => Math.max(128, expected * 0.01),
  poolOf: (tier) => (tier === "fast" ? tier : ""),
  ttlMs: (wroteOneHour) => (wroteOneHour ? 60 : 5) * 60_000,
};

/** OpenAI: the whole prompt is cached, in blocks of 128 tokens; entries become readable with a delay. */
export const openaiHabit: CacheHabit = {
  expectedRead: (before) => expectBlocks(before, OPENAI_PROMPT_MIN),
  tolerance: (expected) => Math.max(512, expected * 0.04),
  // OpenAI names another tier among the reasons of a miss.
  poolOf: (tier) => tier,
  ttlMs: () => 30 * 60_000,
};

/** Gemini caches by itself as well, and only longer prompts. */
export const googleHabit: CacheHabit = {
  ...openaiHabit,
  expectedRead: (before) => expectBlocks(before, GOOGLE_PROMPT_MIN),
  poolOf: () => "",
};

/** In tokens: a shorter prompt is never cached, and nobody says so. The sources disagree about Gemini; this is the longest. */
const OPENAI_PROMPT_MIN = 1024;
const GOOGLE_PROMPT_MIN = 4096;

function expectBlocks(before: TokenUsage, promptMin: number): number {
  const prompt = promptTokens(before);
  return prompt < promptMin ? 0 : Math.floor(prompt / 128) * 128;
}

/** One turn that paid again for a prompt the provider had cached. */
export interface CacheBreak {
  /** Index in the response log. */
  readonly response: number;
  /** Which turn of the session, from 1. */
  readonly request: number;
  readonly line: number;
  readonly cause: BreakCause;
  readonly detail: string | undefined;
  /** The file itself records the cause; otherwise it is read from the numbers. */
  readonly proven: boolean;
  readonly expectedRead: number;
  readonly read: number;
  readonly rewritten: number;
  readonly gapMs: number;
}

/** The breaks of one session, in file order. A compaction and a branch are no breaks: their prompt is new on purpose. */
export function findBreaks(log: ResponseLog, session: SessionResponses, habit: CacheHabit): readonly CacheBreak[] {
  const breaks: CacheBreak[] = [];
  let request = 0;
  const lastAtInLane = new Map<number, number>();
  const oneHourLanes = new Set<number>();
  for (let index = session.start; index < session.end; index++) {
    const lane = log.get(index, "lane");
    if (log.get(index, "sideCall") === 1) {
      // What read the prompt kept it warm, as a host does on purpose in a pause.
      if (log.get(index, "cacheRead") > 0) lastAtInLane.set(lane, log.get(index, "at"));
      continue;
    }
    request += 1;
    const lastAt = lastAtInLane.get(lane) ?? Number.NaN;
    const found = judge(log, index, habit, lastAt, oneHourLanes.has(lane));
    if (found !== undefined) breaks.push({ ...found, request });
    if (log.get(index, "cacheWrite1h") > 0) oneHourLanes.add(lane);
    // A twig of the tree reads the shared prefix as well and keeps it warm, so the gap is counted in the whole lane.
    const endedAt = log.get(index, "at") + log.get(index, "lastedMs");
    lastAtInLane.set(lane, Math.max(endedAt, Number.isNaN(lastAt) ? 0 : lastAt));
  }
  return breaks;
}

function judge(
  log: ResponseLog,
  index: number,
  habit: CacheHabit,
  lastAt: number,
  wroteOneHour: boolean,
): Omit<CacheBreak, "request"> | undefined {
  const before = log.get(index, "previous");
  const usage = log.usageOf(index);
  if (before < 0 || promptTokens(usage) === 0) return undefined;
  if (log.get(before, "lane") !== log.get(index, "lane")) return undefined;
  if (log.get(before, "boundary") !== log.get(index, "boundary")) return undefined;
  const expectedRead = habit.expectedRead(log.usageOf(before));
  // A prompt that became shorter than the cached one was not paid for beyond its own end.
  const rewritten = Math.min(expectedRead, promptTokens(usage)) - usage.cacheRead;
  if (rewritten <= habit.tolerance(expectedRead)) return undefined;
  const gapMs = log.get(index, "at") - lastAt;
  const proven = switchedBetween(log, habit, before, index) ?? log.provenOf(index);
  const cause = proven?.cause ?? guessCause(log, index, gapMs, habit.ttlMs(wroteOneHour));
  return {
    ...{ response: index, line: log.get(index, "line"), cause, detail: proven?.detail },
    ...{ proven: proven !== undefined, expectedRead, read: usage.cacheRead, rewritten, gapMs },
  };
}

/** Each model has a cache of its own, and so have some of its tiers. */
function switchedBetween(log: ResponseLog, habit: CacheHabit, before: number, index: number): ProvenCause | undefined {
  if (log.modelOf(before) !== log.modelOf(index)) return { cause: "model", detail: undefined };
  const [was, is] = [before, index].map((response) => habit.poolOf(log.tierOf(response)));
  if (was === is) return undefined;
  return { cause: "settings", detail: was === "fast" || is === "fast" ? "speed" : "service tier" };
}

/** What the numbers alone can say. */
function guessCause(log: ResponseLog, index: number, gapMs: number, ttlMs: number): BreakCause {
  const read = log.get(index, "cacheRead");
  const waitedMs = log.get(index, "waitedMs");
  if (waitedMs >= 0 && gapMs - waitedMs > ttlMs) return "ttl_gap";
  // Where even the first part is gone and the answer came late, the pause stands between prompt and answer.
  if (gapMs > ttlMs && read === 0) return "ttl_gap";
  // What is still read is the part before the change: tools and system survived, the history did not.
  return read > 0 ? "history_rewritten" : "unknown";
}
