/** What Holdfast did in one session of an agent, for a person who asks inside it. Holds no content. */
import type { Counter, RequestRecord } from "../engine/engine.ts";

export class SessionReport {
  readonly #verdicts = new Map<string, number>();
  readonly #outcomes = new Map<string, number>();
  #requests = 0;
  #lastRepair: RequestRecord | null = null;

  add(record: RequestRecord): void {
    this.#requests += 1;
    raise(this.#verdicts, record.verdict.kind);
    raise(this.#outcomes, record.outcome);
    if (record.outcome === "repaired") this.#lastRepair = record;
  }

  /** @param notes sentences on the store, shown last */
  describe(counters: readonly Counter[], notes: readonly string[]): string {
    const lines = [
      `Holdfast: ${this.#requests} requests of this session`,
      `Verdicts: ${list(this.#verdicts)}`,
      `Outcomes: ${list(this.#outcomes)}`,
      `Last repair: ${this.#lastRepair === null ? "none" : describeRepair(this.#lastRepair)}`,
      "Counters of this process:",
      ...counters.map(({ name, labels, count }) => `  ${count} ${name} ${Object.values(labels).join(" ")}`.trimEnd()),
      ...notes,
    ];
    return lines.join("\n");
  }
}

function raise(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ") || "none";
}

function describeRepair({ at, edits }: RequestRecord): string {
  const places = edits.map(({ rule, op, path }) => `${rule} ${op} ${path}`);
  return `${new Date(at).toISOString()} ${places.join(", ")}`;
}
