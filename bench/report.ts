/** What a benchmark prints: one line a measurement with its goal, and the state of the machine. `--json` for machines. */
import { availableParallelism, cpus, loadavg } from "node:os";
import type { Race } from "./race.ts";

export interface Measurement {
  /** Goal that it belongs to (`docs/reference/benchmarks.md`), or "-" for what is only good to know. */
  readonly id: string;
  readonly name: string;
  /** A ratio, unless the name says otherwise. */
  readonly value: number;
  readonly max?: number;
  readonly min?: number;
  /** Times and page faults behind a ratio. */
  readonly detail?: string;
}

const loadBefore = loadavg()[0]!;

export function report(bench: string, measurements: readonly Measurement[]): void {
  const machine = {
    at: new Date().toISOString(),
    node: process.version,
    processors: `${availableParallelism()} x ${cpus()[0]?.model ?? "unknown"}`,
    load: [loadBefore, loadavg()[0]!],
  };
  if (process.argv.includes("--json")) {
    console.log(JSON.stringify({ schema: 1, bench, machine, measurements: measurements.map(withOutcome) }));
    return;
  }
  const load = machine.load.map((value) => value.toFixed(1)).join(" to ");
  console.log(`\n${bench}: ${machine.at}, node ${machine.node}, ${machine.processors}, load ${load}`);
  const width = Math.max(...measurements.map(({ name }) => name.length));
  for (const { id, name, value, goal, outcome, detail = "" } of measurements.map(withOutcome)) {
    const columns = [id.padEnd(6), name.padEnd(width), String(Number(value.toPrecision(3))).padStart(8)];
    console.log(`  ${columns.join("  ")}  ${goal.padEnd(8)} ${outcome.padEnd(6)} ${detail}`.trimEnd());
  }
}

/** The detail of a ratio: both times, and the page faults of the left side. */
export function detailOf<Name extends string>(race: Race<Name>, left: Name, right: Name): string {
  const [of, by] = [race.microseconds(left), race.microseconds(right)].map(inWords);
  return `${of} / ${by}, ${Math.round(race.faults(left))} faults`;
}

function withOutcome(measurement: Measurement) {
  const { value, min, max } = measurement;
  const goal = min !== undefined ? `>= ${min}` : max !== undefined ? `<= ${max}` : "";
  const met = value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
  const outcome = goal === "" ? "" : met ? "met" : "MISSED";
  return { ...measurement, goal, outcome };
}

function inWords(microseconds: number): string {
  if (microseconds >= 1000) return `${(microseconds / 1000).toPrecision(3)} ms`;
  return `${microseconds.toPrecision(3)} µs`;
}
