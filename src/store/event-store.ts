/**
 * The port of the event store. Everything that must survive a restart is a stream of events, or a counter. Adapters
 * translate this port to a database and decide nothing: memory, SQLite and PostgreSQL pass one conformance suite.
 */

/** Whose stream it is. A stream is only visible to the owner that wrote it; for everyone else it does not exist (PI-25). */
export interface Owner {
  readonly tenant: string;
  readonly principal: string;
}

export interface NewEvent {
  /** Dotted past tense, one of `docs/reference/events.md`. */
  readonly type: string;
  /** Canonical JSON with a member `v`. These bytes are the truth: they come back exactly as they were given (PI-15). */
  readonly data: Uint8Array;
}

export interface StoredEvent {
  readonly stream: string;
  /** Place in the stream: 1, 2, 3, … A gap is an event that was quarantined. */
  readonly version: number;
  /** Place in the store, growing in each stream. Two streams written at once may become visible in another order. */
  readonly position: number;
  readonly type: string;
  readonly data: Uint8Array;
  /** Milliseconds since 1970-01-01 UTC by the clock of the store. For people to read: nothing is ordered by it. */
  readonly recordedAt: number;
}

export type AppendResult =
  | { readonly kind: "appended"; readonly version: number; readonly position: number }
  | { readonly kind: "conflict"; readonly version: number };

export interface ReadOptions {
  /** The first version wanted; 1 if not given. */
  readonly fromVersion?: number;
  /** At most `readEventsMax`, which is also the default. */
  readonly limit?: number;
}

export interface ListStreamsOptions {
  readonly prefix?: string;
  /** The last stream of the page before this one. */
  readonly after?: string;
  /** At most `listStreamsMax`, which is also the default. */
  readonly limit?: number;
}

export interface ListOwnersOptions {
  /** The last owner of the page before this one. */
  readonly after?: Owner;
  /** At most `listStreamsMax`, which is also the default. */
  readonly limit?: number;
}

export interface StreamSummary {
  readonly stream: string;
  readonly version: number;
}

export interface Count {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/** What `doctor` shows about the store. */
export interface StoreCheck {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** A path or a URL without its password. */
  readonly location: string;
  readonly schemaVersion: number;
  readonly bytes: number;
  readonly streams: number;
  readonly events: number;
  readonly quarantinedEvents: number;
  /** Damaged databases that were moved aside, as paths. */
  readonly quarantinedFiles: readonly string[];
  /** Another program holds the write lock at this moment. */
  readonly locked: boolean;
  /** What the integrity check found; empty is sound. */
  readonly problems: readonly string[];
}

/**
 * Every method may throw a `HoldfastError` when the environment is broken: locked, full, read-only, unreachable. An
 * append that throws may have happened all the same; the next append with the same expected version then conflicts.
 */
export interface EventStore {
  /**
   * Adds all events or none. `expectedVersion` is the version that the caller has folded, 0 for a new stream. A conflict
   * returns the version that the stream really has, 0 where it does not exist for this owner.
   */
  append(owner: Owner, stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult>;
  /** Events in order of version, without quarantined ones; empty where the stream does not exist for this owner. */
  read(owner: Owner, stream: string, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /** The newest event of this type in the stream. */
  latest(owner: Owner, stream: string, type: string): Promise<StoredEvent | undefined>;
  /** Streams in order of their names by code point. */
  listStreams(owner: Owner, options?: ListStreamsOptions): Promise<readonly StreamSummary[]>;
  /** Everyone who has a stream, by tenant, then principal, each by code point: for whoever looks after the store. */
  listOwners(options?: ListOwnersOptions): Promise<readonly Owner[]>;
  /** Takes an event that cannot be used out of every later read. It stays in the store and is counted (DG-73). */
  quarantine(owner: Owner, stream: string, version: number, reason: string): Promise<void>;
  /**
   * Removes the bytes of all events of the stream for good, those of quarantined ones too. The places of the events stay
   * taken, and reads leave them out. Returns how many events had bytes. Backups are not reached.
   */
  eraseStream(owner: Owner, stream: string): Promise<number>;
  /** Adds to counters that all processes of a store share (DG-70). Counters hold no content and have no owner. */
  addCounts(counts: readonly Count[]): Promise<void>;
  /** All counters, in order of name, then labels. */
  counts(): Promise<readonly Count[]>;
  check(): Promise<StoreCheck>;
  /** Waits for what was begun. Further calls throw `store_closed`. */
  close(): Promise<void>;
}
