/** The store of many machines. */
import type { Sql } from "postgres";
import { HoldfastError } from "../../lib/error.ts";
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
import { checkAppend, checkCounts, checkName, checkOwner, checkStream, readRange } from "../limits.ts";
import { storeError } from "../store-error.ts";
import { withoutPassword } from "../store-url.ts";
import { addCounts } from "./add-counts.ts";
import { append } from "./append.ts";
import { check } from "./check.ts";
import { counts } from "./counts.ts";
import { eraseStream } from "./erase-stream.ts";
import { latest } from "./latest.ts";
import { listOwners } from "./list-owners.ts";
import { listStreams } from "./list-streams.ts";
import { migrate } from "./migrate.ts";
import { toStoreError } from "./postgres-error.ts";
import { quarantine } from "./quarantine.ts";
import { read } from "./read.ts";

export interface PostgresStoreOptions {
  readonly connectionsMax?: number;
}

/** A server takes 100 connections unless told otherwise; eight gateways and a person must fit. */
const connectionsMaxDefault = 10;
const connectTimeoutSeconds = 10;
/** A connection that nothing has used for so long is given back. */
const idleTimeoutSeconds = 60;
/** No statement of ours takes a second; behind these limits something is stuck. */
const lockTimeoutMs = 10_000;
const statementTimeoutMs = 30_000;
/** After `close`, for statements that still run. */
const closeTimeoutSeconds = 10;

/**
 * Connects, and creates or migrates the schema `holdfast` in the database that `url` names.
 * @throws HoldfastError why it cannot be opened
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<EventStore> {
  const location = withoutPassword(url);
  const postgres = await importDriver();
  try {
    const sql = postgres(url, {
      max: options.connectionsMax ?? connectionsMaxDefault,
      connect_timeout: connectTimeoutSeconds,
      idle_timeout: idleTimeoutSeconds,
      connection: {
        application_name: "holdfast",
        lock_timeout: lockTimeoutMs,
        statement_timeout: statementTimeoutMs,
      },
      // "relation exists, skipping" would go to the terminal of whoever uses us.
      onnotice: () => {},
    });
    const store = new PostgresStore(sql, location);
    try {
      await migrate(sql, location);
      return store;
    } catch (cause) {
      await store.close();
      throw cause;
    }
  } catch (cause) {
    throw toStoreError(location, cause);
  }
}

async function importDriver(): Promise<typeof import("postgres")> {
  try {
    return (await import("postgres")).default;
  } catch (cause) {
    throw new HoldfastError(
      "store_driver_missing",
      "The store postgres:// needs the package postgres, which is not installed: npm install postgres@3",
      { cause },
    );
  }
}

class PostgresStore implements EventStore {
  readonly #sql: Sql;
  readonly #location: string;
  #closed = false;

  constructor(sql: Sql, location: string) {
    this.#sql = sql;
    this.#location = location;
  }

  async append(
    owner: Owner,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    checkAppend(owner, stream, expectedVersion, events);
    return this.#run((sql) => append(sql, owner, stream, expectedVersion, events));
  }

  async read(owner: Owner, stream: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    checkStream(owner, stream);
    const { fromVersion, limit } = readRange(options);
    return this.#run((sql) => read(sql, owner, stream, fromVersion, limit));
  }

  async latest(owner: Owner, stream: string, type: string): Promise<StoredEvent | undefined> {
    checkStream(owner, stream);
    return this.#run((sql) => latest(sql, owner, stream, type));
  }

  async listStreams(owner: Owner, options: ListStreamsOptions = {}): Promise<readonly StreamSummary[]> {
    checkOwner(owner);
    return this.#run((sql) => listStreams(sql, owner, options));
  }

  async quarantine(owner: Owner, stream: string, version: number, reason: string): Promise<void> {
    checkStream(owner, stream);
    checkName("reason", reason);
    return this.#run((sql) => quarantine(sql, owner, stream, version, reason));
  }

  async listOwners(options: ListOwnersOptions = {}): Promise<readonly Owner[]> {
    return this.#run((sql) => listOwners(sql, options));
  }

  async eraseStream(owner: Owner, stream: string): Promise<number> {
    checkStream(owner, stream);
    return this.#run((sql) => eraseStream(sql, owner, stream));
  }

  async addCounts(entries: readonly Count[]): Promise<void> {
    checkCounts(entries);
    return this.#run((sql) => addCounts(sql, entries));
  }

  counts(): Promise<readonly Count[]> {
    return this.#run(counts);
  }

  check(): Promise<StoreCheck> {
    return this.#run((sql) => check(sql, this.#location));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#sql.end({ timeout: closeTimeoutSeconds });
  }

  async #run<Result>(operation: (sql: Sql) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw storeError("store_closed", this.#location, "it is closed");
    try {
      return await operation(this.#sql);
    } catch (cause) {
      throw toStoreError(this.#location, cause);
    }
  }
}
