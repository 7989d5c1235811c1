import { hashOf, IdTable } from "./id-table.ts";
import { NumberTable } from "./number-table.ts";
import type { ModelResponse, ProvenCause, TokenUsage } from "./transcript.ts";

const wide = [
  "key",
  "name",
  "at",
  /** NaN where only a price list tells. */
  "billedUsd",
] as const;
const small = [
  /** From the first row of the response to its last one. */
  "lastedMs",
  /** From the request to the first row; -1 where the file does not say when the request went out. */
  "waitedMs",
  "session",
  "line",
  "model",
  "tier",
  "lane",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "cacheWrite1h",
  "webSearches",
  "previous",
  "boundary",
  "rank",
  "counted",
  "sideCall",
] as const;
type Field = (typeof wide)[number] | (typeof small)[number];

/** All responses of a scan, each counted once however many rows and files tell of it. */
export class ResponseLog {
  readonly #table = new NumberTable<(typeof wide)[number], (typeof small)[number]>(wide, small);
  readonly #winnerByName = new IdTable();
  readonly #names: string[] = [];
  readonly #numberByName = new Map<string, number>();
  readonly #proven = new Map<number, ProvenCause>();

  get count(): number {
    return this.#table.count;
  }

  get(index: number, field: Field): number {
    return this.#table.get(index, field);
  }

  usageOf(index: number): TokenUsage {
    return {
      input: this.get(index, "input"),
      output: this.get(index, "output"),
      cacheRead: this.get(index, "cacheRead"),
      cacheWrite: this.get(index, "cacheWrite"),
      cacheWrite1h: this.get(index, "cacheWrite1h"),
      webSearches: this.get(index, "webSearches"),
    };
  }

  modelOf(index: number): string {
    return this.#names[this.get(index, "model")]!;
  }

  /** Empty for the standard speed and tier. */
  tierOf(index: number): string {
    return this.#names[this.get(index, "tier")]!;
  }

  provenOf(index: number): ProvenCause | undefined {
    return this.#proven.get(index);
  }

  openSession(session: number): SessionResponses {
    return new SessionResponses(session, this.count, {
      table: this.#table,
      numberOf: (name) => this.#numberOf(name),
      prove: (index, cause) => this.#proven.set(index, cause),
      settle: (index) => this.#settle(index),
    });
  }

  /** Of the same response in two files, the better row counts: the original before a copy, a final count before a placeholder. */
  #settle(index: number): void {
    const found = this.#winnerByName.get(this.get(index, "name"));
    const other = found !== undefined && this.#isSame(found, index) ? found : undefined;
    const wins = other === undefined || this.#weight(index) > this.#weight(other);
    if (wins) this.#winnerByName.set(this.get(index, "name"), index);
    if (other !== undefined) this.#table.set(wins ? other : index, "counted", 0);
  }

  #isSame(a: number, b: number): boolean {
    if (this.get(a, "key") === this.get(b, "key")) return true;
    // Side questions replay rows of the main chain under another request id.
    return (this.get(a, "rank") & this.get(b, "rank") & mainRank) === 0;
  }

  #weight(index: number): number {
    const total = this.get(index, "input") + this.get(index, "cacheRead") + this.get(index, "cacheWrite");
    return this.get(index, "rank") * 2 ** 40 + total + this.get(index, "output");
  }

  #numberOf(name: string): number {
    const known = this.#numberByName.get(name);
    if (known !== undefined) return known;
    this.#numberByName.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}

interface LogAccess {
  readonly table: NumberTable<(typeof wide)[number], (typeof small)[number]>;
  readonly numberOf: (name: string) => number;
  readonly prove: (index: number, cause: ProvenCause) => void;
  readonly settle: (index: number) => void;
}

/** The responses of one session while its file is read. */
export class SessionResponses {
  readonly start: number;
  readonly #session: number;
  readonly #log: LogAccess;
  /** By weak key; the exact one stands in the table. Agents that write one row for a response give none. */
  readonly #indexByName = new IdTable();
  readonly #boundaries = new Map<string, number>();
  readonly #lastInLane = new Map<string, number>();

  constructor(session: number, start: number, log: LogAccess) {
    this.#session = session;
    this.start = start;
    this.#log = log;
  }

  /** The number of responses of this session, each once. */
  get end(): number {
    return this.#log.table.count;
  }

  /** The newest response of a lane in file order, or -1. */
  lastIn(lane: string): number {
    return this.#lastInLane.get(lane) ?? -1;
  }

  /** From here on the prompt of this lane is a new one on purpose, so a cold cache is no break. */
  markBoundary(lane: string): void {
    this.#boundaries.set(lane, (this.#boundaries.get(lane) ?? 0) + 1);
  }

  /** The prompt of this response was its own: what it reads says nothing. */
  expectNothing(index: number): void {
    if (index >= 0) this.#log.table.set(index, "previous", -1);
  }

  /** Adds a row's response, or joins it to the one that an earlier row of the file told of. Returns its index. */
  add(response: ModelResponse): number {
    const known = this.#find(response);
    if (known !== undefined) {
      this.#join(known, response);
      return known;
    }
    const { usage } = response;
    const index = this.#log.table.add({
      key: hashOf(response.key),
      name: hashOf(response.weakKey ?? response.key),
      at: response.at,
      lastedMs: 0,
      waitedMs: waitedMs(response),
      session: this.#session,
      line: response.line,
      model: this.#log.numberOf(response.model),
      tier: this.#log.numberOf(response.tier ?? ""),
      lane: this.#log.numberOf(response.lane),
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      cacheWrite1h: usage.cacheWrite1h,
      webSearches: usage.webSearches,
      billedUsd: response.billedUsd ?? Number.NaN,
      previous: response.previous,
      boundary: this.#boundaries.get(response.lane) ?? 0,
      rank: rankOf(response),
      counted: 1,
      sideCall: Number(response.sideCall ?? false),
    });
    if (response.weakKey !== undefined) this.#indexByName.set(response.weakKey, index);
    if (!response.sideCall) this.#lastInLane.set(response.lane, index);
    if (response.proven !== undefined) this.#log.prove(index, response.proven);
    return index;
  }

  /** Ends the session. Rows older than `ownSince` were copied in from the session that this one continues. */
  close(ownSince = Number.NaN): void {
    const { table } = this.#log;
    for (let index = this.start; index < this.end; index++) {
      if (table.get(index, "at") < ownSince) table.set(index, "rank", table.get(index, "rank") & ~originalRank);
      this.#log.settle(index);
    }
  }

  #find(response: ModelResponse): number | undefined {
    if (response.weakKey === undefined) return undefined;
    const near = this.#indexByName.get(response.weakKey);
    if (near === undefined || this.#log.table.get(near, "key") === hashOf(response.key)) return near;
    // Side questions replay rows of the main chain under another request id. Two main rows that share a message id
    // and differ in usage are two responses: some gateways use ids again.
    const sidechain = response.sidechain || (this.#log.table.get(near, "rank") & mainRank) === 0;
    return sidechain || this.#sameUsage(near, response.usage) ? near : undefined;
  }

  #sameUsage(index: number, usage: TokenUsage): boolean {
    const { table } = this.#log;
    return table.get(index, "cacheRead") === usage.cacheRead && table.get(index, "cacheWrite") === usage.cacheWrite;
  }

  #join(index: number, response: ModelResponse): void {
    const { table } = this.#log;
    const lastedMs = response.at - table.get(index, "at");
    if (lastedMs > table.get(index, "lastedMs")) table.set(index, "lastedMs", Math.min(lastedMs, spanMsMax));
    const rank = rankOf(response);
    const known = table.get(index, "rank");
    const better = rank > known || (rank === known && response.usage.output > table.get(index, "output"));
    if (!better) return;
    table.set(index, "rank", rank);
    for (const field of usageFields) table.set(index, field, response.usage[field]);
  }
}

const usageFields = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "webSearches"] as const;

/** Three weeks: what a column of 32 bits holds. No response takes that long. */
const spanMsMax = 2 ** 31 - 1;

function waitedMs({ at, requestAt }: ModelResponse): number {
  const span = at - requestAt;
  return span >= 0 ? Math.min(span, spanMsMax) : -1;
}

const mainRank = 8;
const originalRank = 4;

function rankOf(response: ModelResponse): number {
  const { usage } = response;
  const filled = usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0;
  // A zeroed copy must lose against everything, so that it stands below a placeholder of the original.
  return (
    (response.sidechain ? 0 : mainRank) +
    (response.copy ? 0 : originalRank) +
    (response.stopped ? 2 : 0) +
    (filled ? 1 : 0)
  );
}
