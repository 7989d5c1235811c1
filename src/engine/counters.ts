/** Counters of this process, added to the store in the background so that they survive restarts and merge (DG-70). */
import type { EventStore } from "../store/event-store.ts";
import type { Counter } from "./engine.ts";

/** Label values come from outside in part (model names): beyond this many different ones they are counted as `other`. */
const COUNTERS_MAX = 5_000;

const FLUSH_EVERY_MS = 1_000;

/** What was counted of one kind, and how much of it the store does not know yet. */
interface Tally {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  unsaved: number;
}

export class Counters {
  readonly #store: EventStore;
  readonly #all = new Map<string, Tally>();
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: EventStore) {
    this.#store = store;
  }

  add(name: string, labels: Readonly<Record<string, string>> = {}, count = 1): void {
    if (count === 0) return;
    let key = `${name}${JSON.stringify(labels)}`;
    let named = labels;
    if (!this.#all.has(key) && this.#all.size >= COUNTERS_MAX) {
      named = { overflow: "other" };
      key = `${name} overflow`;
    }
    const tally = this.#all.get(key);
    if (tally === undefined) this.#all.set(key, { name, labels: named, count, unsaved: count });
    else {
      tally.count += count;
      tally.unsaved += count;
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  list(): readonly Counter[] {
    return [...this.#all.values()].map(({ name, labels, count }) => ({ name, labels, count }));
  }

  /** Saves what is new. A store that fails keeps nothing from happening: the numbers wait for the next time. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#flushing.then(() => this.#save());
    return this.#flushing;
  }

  async #save(): Promise<void> {
    const saving = [...this.#all.values()].filter(({ unsaved }) => unsaved > 0);
    if (saving.length === 0) return;
    const counts = saving.map(({ name, labels, unsaved }) => ({ name, labels, count: unsaved }));
    for (const tally of saving) tally.unsaved = 0;
    try {
      await this.#store.addCounts(counts);
    } catch {
      // Expected: a locked, full or missing store (DG-74). The counts are put back and tried again later.
      saving.forEach((tally, nth) => {
        tally.unsaved += counts[nth]!.count;
      });
    }
  }
}
