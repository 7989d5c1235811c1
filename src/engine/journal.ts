/** Events that the engine writes behind the request path: in order, without anyone waiting, and lost only with a count. */
import { canonicalJson } from "../lib/canonical-json.ts";
import type { EventStore, Owner } from "../store/event-store.ts";

/** The gateway's own streams belong to nobody's tenant. */
export const ENGINE_OWNER: Owner = { tenant: "holdfast", principal: "engine" };

/** Events that wait while the store is locked; beyond this the oldest promise is broken, and counted. */
const WAITING_MAX = 1_000;

/** Two gateways write one stream at once; after this many lost races the event is given up and counted. */
const TRIES_MAX = 8;

/** Other processes on the same store are heard within this time (GW-12). */
const REFRESH_EVERY_MS = 5_000;

/** A turn waits for the store no longer than this. */
const HEAR_MS = 50;

interface Newest {
  /** The type of the stream's frequent events. */
  readonly type: string;
  readonly eventsMax: number;
}

type Apply = (data: never) => void;

export class Journal {
  readonly #store: EventStore;
  readonly #lost: (type: string) => void;
  /** Version of each stream up to which this process knows it. */
  readonly #versions = new Map<string, number>();
  readonly #followed = new Map<string, Apply>();
  readonly #timer: NodeJS.Timeout;
  /** The look at the store that is queued and has not begun. */
  #look: Promise<void> | null = null;
  #waiting = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(store: EventStore, lost: (type: string) => void) {
    this.#store = store;
    this.#lost = lost;
    this.#timer = setInterval(() => this.#queue(() => this.#refresh()), REFRESH_EVERY_MS).unref();
  }

  /**
   * Calls `apply` for every event of the stream, those that other processes write from now on included.
   * @param newest reads no more than about this many, of a stream whose old events serve nobody any more
   */
  async follow<T>(stream: string, apply: (data: T) => void, newest?: Newest): Promise<void> {
    this.#followed.set(stream, apply as Apply);
    if (newest !== undefined) {
      const last = await this.#store.latest(ENGINE_OWNER, stream, newest.type);
      if (last !== undefined) this.#versions.set(stream, Math.max(0, last.version - newest.eventsMax));
    }
    await this.#read(stream, apply as Apply);
  }

  /** Returns at once. An event that cannot be written is lost, and counted. */
  write(stream: string, type: string, data: object): void {
    if (this.#waiting >= WAITING_MAX) {
      this.#lost(type);
      return;
    }
    this.#queue(() => this.#append(stream, type, data));
  }

  /** Resolves when all that was written until now is in the store, or given up. */
  async written(): Promise<void> {
    await this.#tail;
  }

  /** Hears now what others have written to a followed stream. */
  async refresh(stream: string): Promise<void> {
    try {
      await this.#read(stream, this.#followed.get(stream) ?? (() => {}));
    } catch {
      // Expected: a broken store (DG-74). The next round tries again.
    }
  }

  /** Hears now what others have written to any followed stream, as far as the store answers in time (DG-74). */
  async hear(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, HEAR_MS);
    // While a store is locked, all turns wait for one look at it: a queue of looks would leave no room for events.
    this.#look ??= this.#queue(() => {
      this.#look = null;
      return this.#refresh();
    });
    await Promise.race([this.#look, late.promise]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tail;
  }

  #queue(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#tail = this.#tail.then(work).finally(() => {
      this.#waiting -= 1;
    });
    return this.#tail;
  }

  async #refresh(): Promise<void> {
    try {
      await Promise.all([...this.#followed].map(([stream, apply]) => this.#read(stream, apply)));
    } catch {
      // Expected: a broken store (DG-74). The next round tries again.
    }
  }

  async #read(stream: string, apply: Apply): Promise<void> {
    for (;;) {
      const fromVersion = (this.#versions.get(stream) ?? 0) + 1;
      const events = await this.#store.read(ENGINE_OWNER, stream, { fromVersion });
      for (const event of events) apply(JSON.parse(Buffer.from(event.data).toString()) as never);
      if (events.length === 0) return;
      this.#versions.set(stream, events.at(-1)!.version);
    }
  }

  /** What others wrote first is read before the next try, so that nothing of it is passed over. */
  async #append(stream: string, type: string, data: object): Promise<void> {
    try {
      const event = { type, data: Buffer.from(canonicalJson(data)) };
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const version = this.#versions.get(stream) ?? 0;
        const result = await this.#store.append(ENGINE_OWNER, stream, version, [event]);
        if (result.kind === "appended") {
          this.#versions.set(stream, result.version);
          return;
        }
        await this.#read(stream, this.#followed.get(stream) ?? (() => {}));
      }
      this.#lost(type);
    } catch {
      // Expected: a broken store (DG-74). What the event says is known to this process; only a restart forgets it.
      this.#lost(type);
    }
  }
}
