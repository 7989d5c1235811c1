import type { Count } from "../../../src/store/event-store.ts";
import { openStore } from "../../../src/store/open-store.ts";

export interface StoredCounts {
  /** The sum over all counters of this name that have these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  of(name: string): readonly Count[];
}

/** What the processes of an agent have left in their store, all of them together. */
export async function readCounts(storePath: string): Promise<StoredCounts> {
  const store = await openStore(`sqlite:${storePath}`);
  const counts = await store.counts();
  await store.close();
  const of = (name: string) => counts.filter((count) => count.name === name);
  const has = (count: Count, labels: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([key, value]) => count.labels[key] === value);
  return {
    of,
    sum: (name, labels = {}) =>
      of(name)
        .filter((count) => has(count, labels))
        .reduce((sum, { count }) => sum + count, 0),
  };
}
