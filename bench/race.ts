/**
 * Contenders take turns in one process, so that whatever else the machine does meets all of them alike. What counts is
 * the median of the ratios within each round, never a time by itself.
 */

/** Runs once per round and returns the number of operations in it. */
export type Side = () => number | Promise<number>;

export interface Race<Name extends string> {
  /** Median over the rounds of the time of `left` by the time of `right`. */
  ratio(left: Name, right: Name): number;
  /** The time of all rounds of `left` by that of all rounds of `right`. */
  totalRatio(left: Name, right: Name): number;
  /** Median time of one operation. */
  microseconds(name: Name): number;
  /** Median of the memory pages touched for the first time, per operation: each costs what the machine makes it cost. */
  faults(name: Name): number;
}

export interface RaceOptions {
  readonly rounds: number;
  /** Rounds in front of them that are not counted. */
  readonly warmUps?: number;
  /** Untimed, in front of each round. Rounds that only warm up have a negative number. */
  readonly prepare?: (round: number) => unknown;
}

export async function race<Name extends string>(
  contenders: Readonly<Record<Name, Side>>,
  { rounds, warmUps = 0, prepare }: RaceOptions,
): Promise<Race<Name>> {
  const names = Object.keys(contenders) as Name[];
  const laps = new Map(names.map((name) => [name, [] as Lap[]]));
  for (let round = -warmUps; round < rounds; round++) {
    await prepare?.(round);
    for (let nth = 0; nth < names.length; nth++) {
      // Another one begins every time, because the first one of a round pays for what the others left behind.
      const name = names[(nth + Math.abs(round)) % names.length]!;
      const lap = await runLap(contenders[name]);
      if (round >= 0) laps.get(name)!.push(lap);
    }
  }
  const of = (name: Name, measure: keyof Lap) => laps.get(name)!.map((lap) => lap[measure]);
  return {
    ratio: (left, right) =>
      median(of(left, "microseconds").map((time, round) => time / of(right, "microseconds")[round]!)),
    totalRatio: (left, right) => sum(of(left, "microseconds")) / sum(of(right, "microseconds")),
    microseconds: (name) => median(of(name, "microseconds")),
    faults: (name) => median(of(name, "faults")),
  };
}

interface Lap {
  readonly microseconds: number;
  readonly faults: number;
}

async function runLap(side: Side): Promise<Lap> {
  const faults = process.resourceUsage().minorPageFault;
  const start = performance.now();
  const result = side();
  // Waiting for what is there already would be measured too.
  const operations = typeof result === "number" ? result : await result;
  const end = performance.now();
  return {
    microseconds: ((end - start) * 1000) / operations,
    faults: (process.resourceUsage().minorPageFault - faults) / operations,
  };
}

export function once(operation: () => unknown): Side {
  return () => repeatNow(1, operation);
}

export function repeatNow(times: number, operation: () => unknown): number {
  for (let n = 0; n < times; n++) operation();
  return times;
}

export async function repeat(times: number, operation: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < times; n++) await operation();
  return times;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
