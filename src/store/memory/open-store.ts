/** The store that forgets: for tests, for `--store memory:`, and as the plainest reading of the port. */

import { fromLabelKey, toLabelKey } from "../count-key.ts";
import type {
  AppendResult,
  Count,
  EventStore,
  ListOwnersOptions,
  ListStreamsOptions,
  NewEvent,
  Owner,
  ReadOptions,
  StoreCheck,
  StoredEvent,
  StreamSummary,
} from "../event-store.ts";
import { checkAppend, checkCounts, checkOwner, checkStream, listRange, ownerRange, readRange } from "../limits.ts";
import { storeError } from "../store-error.ts";

export function openMemoryStore(): EventStore {
  return new MemoryStore();
}

class MemoryStore implements EventStore {
  /** By owner, then by stream: two owners never meet in one map. */
  readonly #streams = new Map<string, Map<string, StoredEvent[]>>();
  readonly #quarantined = new Set<StoredEvent>();
  readonly #erased = new Set<StoredEvent>();
  readonly #counts = new Map<string, Count>();
  #position = 0;
  #closed = false;

  async append(
    owner: Owner,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    this.#checkOpen();
    checkAppend(owner, stream, expectedVersion, events);
    const stored = this.#streamsOf(owner).get(stream) ?? [];
    if (stored.length !== expectedVersion) return { kind: "conflict", version: stored.length };
    this.#streamsOf(owner).set(stream, stored);
    for (const { type, data } of events) {
      this.#position += 1;
      const version = stored.length + 1;
      // A copy, as a database would make one: the caller may use its buffer again.
      stored.push({
        stream,
        version,
        position: this.#position,
        type,
        data: new Uint8Array(data),
        recordedAt: Date.now(),
      });
    }
    return { kind: "appended", version: stored.length, position: this.#position };
  }

  async read(owner: Owner, stream: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    this.#checkOpen();
    const { fromVersion, limit } = readRange(options);
    const readable = this.#readable(owner, stream).filter((event) => event.version >= fromVersion);
    return readable.slice(0, limit).map(copy);
  }

  async latest(owner: Owner, stream: string, type: string): Promise<StoredEvent | undefined> {
    this.#checkOpen();
    const found = this.#readable(owner, stream).findLast((event) => event.type === type);
    return found === undefined ? undefined : copy(found);
  }

  async listStreams(owner: Owner, options: ListStreamsOptions = {}): Promise<readonly StreamSummary[]> {
    this.#checkOpen();
    checkOwner(owner);
    const { from, below, after, limit } = listRange(options);
    const streams = [...this.#streamsOf(owner)].map(([stream, events]) => ({ stream, version: events.length }));
    return streams
      .filter(({ stream }) => byCodePoint(stream, from) >= 0 && byCodePoint(stream, below) < 0)
      .filter(({ stream }) => byCodePoint(stream, after) > 0)
      .sort((a, b) => byCodePoint(a.stream, b.stream))
      .slice(0, limit);
  }

  async quarantine(owner: Owner, stream: string, version: number, _reason: string): Promise<void> {
    this.#checkOpen();
    const event = this.#readable(owner, stream).find((candidate) => candidate.version === version);
    if (event !== undefined) this.#quarantined.add(event);
  }

  async listOwners(options: ListOwnersOptions = {}): Promise<readonly Owner[]> {
    this.#checkOpen();
    const { after, limit } = ownerRange(options);
    const owners = [...this.#streams].flatMap(([key, streams]) => (streams.size > 0 ? [toOwner(key)] : []));
    return owners
      .filter((owner) => byOwner(owner, after) > 0)
      .sort(byOwner)
      .slice(0, limit);
  }

  async eraseStream(owner: Owner, stream: string): Promise<number> {
    this.#checkOpen();
    checkStream(owner, stream);
    const stored = this.#streamsOf(owner).get(stream) ?? [];
    const full = stored.filter((event) => !this.#erased.has(event));
    for (const event of full) {
      const empty = { ...event, data: new Uint8Array(0) };
      stored[stored.indexOf(event)] = empty;
      this.#quarantined.delete(event);
      this.#erased.add(empty);
    }
    return full.length;
  }

  async addCounts(counts: readonly Count[]): Promise<void> {
    this.#checkOpen();
    checkCounts(counts);
    for (const { name, labels, count } of counts) {
      const labelKey = toLabelKey(labels);
      const key = JSON.stringify([name, labelKey]);
      const before = this.#counts.get(key)?.count ?? 0;
      this.#counts.set(key, { name, labels: fromLabelKey(labelKey), count: before + count });
    }
  }

  async counts(): Promise<readonly Count[]> {
    this.#checkOpen();
    const counts = [...this.#counts.values()];
    return counts.sort(
      (a, b) => byCodePoint(a.name, b.name) || byCodePoint(toLabelKey(a.labels), toLabelKey(b.labels)),
    );
  }

  async check(): Promise<StoreCheck> {
    this.#checkOpen();
    const streams = [...this.#streams.values()].flatMap((ofOwner) => [...ofOwner.values()]);
    const events = streams.flat();
    return {
      kind: "memory",
      location: "memory:",
      schemaVersion: 0,
      bytes: events.reduce((sum, event) => sum + event.data.length, 0),
      streams: streams.length,
      events: events.length,
      quarantinedEvents: this.#quarantined.size,
      quarantinedFiles: [],
      locked: false,
      problems: [],
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #readable(owner: Owner, stream: string): StoredEvent[] {
    checkStream(owner, stream);
    return (this.#streamsOf(owner).get(stream) ?? []).filter(
      (event) => !this.#quarantined.has(event) && !this.#erased.has(event),
    );
  }

  #streamsOf(owner: Owner): Map<string, StoredEvent[]> {
    const key = JSON.stringify([owner.tenant, owner.principal]);
    let streams = this.#streams.get(key);
    if (streams === undefined) {
      streams = new Map();
      this.#streams.set(key, streams);
    }
    return streams;
  }

  #checkOpen(): void {
    if (this.#closed) throw storeError("store_closed", "memory:", "it is closed");
  }
}

function copy(event: StoredEvent): StoredEvent {
  return { ...event, data: new Uint8Array(event.data) };
}

function toOwner(key: string): Owner {
  const [tenant, principal] = JSON.parse(key) as [string, string];
  return { tenant, principal };
}

function byOwner(a: Owner, b: Owner): number {
  return byCodePoint(a.tenant, b.tenant) || byCodePoint(a.principal, b.principal);
}

/** The order of UTF-8 bytes, which SQLite and PostgreSQL (collation "C") use too; `<` on strings orders by UTF-16. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
