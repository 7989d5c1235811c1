/** Events that the engine writes behind the request path: in order, without anyone waiting, and lost only with a count. */
import { canonicalJson } from "../lib/canonical-json.ts";
import type { EventStore, Owner } from "../store/event-store.ts";

/** The gateway's own streams belong to nobody's tenant. */
export const ENGINE_OWNER: Owner = { tenant: "holdfast", principal: "engine" };

/** Events that wait while the store is locked; beyond this the oldest promise is broken, and counted. */
const WAITING_MAX = 1_000;

/** Two gateways write one stream at once; after this many lost races the event is given up and counted. */
const TRIES_MAX = 8;

export class Journal {
  readonly #store: EventStore;
  readonly #lost: (type: string) => void;
  #waiting = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(store: EventStore, lost: (type: string) => void) {
    this.#store = store;
    this.#lost = lost;
  }

  write(stream: string, type: string, data: object): void {
    if (this.#waiting >= WAITING_MAX) {
      this.#lost(type);
      return;
    }
    this.#waiting += 1;
    this.#tail = this.#tail
      .then(() => this.#append(stream, type, data))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async *events<T>(stream: string): AsyncGenerator<T> {
    for (let fromVersion = 1; ; ) {
      const events = await this.#store.read(ENGINE_OWNER, stream, { fromVersion });
      for (const event of events) yield JSON.parse(Buffer.from(event.data).toString()) as T;
      if (events.length === 0) return;
      fromVersion = events.at(-1)!.version + 1;
    }
  }

  async drain(): Promise<void> {
    await this.#tail;
  }

  async #append(stream: string, type: string, data: object): Promise<void> {
    try {
      let version = this.#versions.get(stream) ?? 0;
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const event = { type, data: Buffer.from(canonicalJson(data)) };
        const result = await this.#store.append(ENGINE_OWNER, stream, version, [event]);
        version = result.version;
        this.#versions.set(stream, version);
        if (result.kind === "appended") return;
      }
      this.#lost(type);
    } catch {
      // Expected: a broken store (DG-74). What the event says is known to this process; only a restart forgets it.
      this.#lost(type);
    }
  }

  readonly #versions = new Map<string, number>();
}
