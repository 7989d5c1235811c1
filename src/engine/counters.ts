/** Counters of this process, added to the store in the background so that they survive restarts and merge (DG-70). */
import type { EventStore } from "../store/event-store.ts";
import type { Counter } from "./engine.ts";

/** Label values come from outside in part (model names): beyond this many different ones they are counted as `other`. */
const COUNTERS_MAX = 5_000;

const FLUSH_EVERY_MS = 1_000;

export class Counters {
  readonly #store: EventStore;
  readonly #all = new Map<string, Counter>();
  #unsaved = new Map<string, Counter>();
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
    for (const counters of [this.#all, this.#unsaved]) {
      counters.set(key, { name, labels: named, count: (counters.get(key)?.count ?? 0) + count });
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  list(): readonly Counter[] {
    return [...this.#all.values()];
  }

  /** Saves what is new. A store that fails keeps nothing from happening: the numbers wait for the next time. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushing = this.#flushing.then(() => this.#save());
    return this.#flushing;
  }

  async #save(): Promise<void> {
    if (this.#unsaved.size === 0) return;
    const saving = this.#unsaved;
    this.#unsaved = new Map();
    try {
      await this.#store.addCounts([...saving.values()]);
    } catch {
      // Expected: a locked, full or missing store (DG-74). The counts are put back and tried again later.
      for (const [key, counter] of saving) {
        const newer = this.#unsaved.get(key)?.count ?? 0;
        this.#unsaved.set(key, { ...counter, count: counter.count + newer });
      }
    }
  }
}
