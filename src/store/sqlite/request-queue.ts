/**
 * Answers requests on one connection. Reads go first and wait for nobody. Writes that wait together are committed
 * together: a commit costs a flush of the disk, and thirty-two events in one cost hardly more than one.
 */
import { isHoldfastError } from "../../lib/error.ts";
import type { Connection } from "./connection.ts";
import { isMoved, openConnection } from "./open-connection.ts";
import { isWrite, type Reply, type Request, runOperation } from "./operations.ts";
import { isBusy, isDamage, toStoreError } from "./sqlite-error.ts";

/** One transaction; other processes wait for its end. */
const batchWritesMax = 256;
/** Longer than a backup or a `vacuum` of a small store; whoever holds the lock longer is stuck. */
const lockWaitMs = 10_000;
/** Between two tries for the write lock. */
const lockRetryMs = 5;

interface Waiting {
  readonly request: Request;
  readonly since: number;
}

export class RequestQueue {
  readonly #path: string;
  readonly #reply: (reply: Reply) => void;
  readonly #connect: typeof openConnection;
  #connection: Connection | undefined;
  readonly #reads: Waiting[] = [];
  readonly #writes: Waiting[] = [];
  #batchMax = batchWritesMax;
  #scheduled = false;
  #idle: (() => void) | undefined;

  constructor(path: string, reply: (reply: Reply) => void, connect = openConnection) {
    this.#path = path;
    this.#reply = reply;
    this.#connect = connect;
  }

  accept(request: Request): void {
    const queue = isWrite(request) ? this.#writes : this.#reads;
    queue.push({ request, since: performance.now() });
    this.#schedule(0);
  }

  /** Answers what waits, then closes the database. */
  async close(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => (this.#idle = resolve));
    this.#disconnect();
  }

  /** All messages that have arrived are accepted before the next turn of the event loop: they make one batch. */
  #schedule(delayMs: number): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (delayMs === 0) setImmediate(() => this.#run());
    else setTimeout(() => this.#run(), delayMs);
  }

  #run(): void {
    this.#scheduled = false;
    const readsLocked = this.#answerReads();
    const writesLocked = this.#answerWrites();
    if (this.#reads.length + this.#writes.length > 0) this.#schedule(readsLocked || writesLocked ? lockRetryMs : 0);
    else this.#idle?.();
  }

  /** Returns whether another program has locked even readers out; the reads then stay in the queue. */
  #answerReads(): boolean {
    while (this.#reads[0] !== undefined) {
      const { request } = this.#reads[0];
      try {
        const value = this.#onSoundConnection((connection) => runOperation(connection, request));
        this.#reply({ id: request.id, value });
        this.#reads.shift();
      } catch (cause) {
        if (isBusy(cause)) return this.#giveUpOld(this.#reads, cause);
        this.#fail(this.#reads, isHoldfastError(cause) ? this.#reads.length : 1, cause);
      }
    }
    return false;
  }

  /** Returns whether another program holds the write lock; the writes then stay in the queue. */
  #answerWrites(): boolean {
    if (this.#writes.length === 0) this.#batchMax = batchWritesMax;
    const batch = this.#writes.slice(0, this.#batchMax);
    if (batch.length === 0) return false;
    try {
      const values = this.#onSoundConnection((connection) => commit(connection, batch));
      for (const [index, { request }] of batch.entries()) this.#reply({ id: request.id, value: values[index] });
      this.#writes.splice(0, batch.length);
      return false;
    } catch (cause) {
      if (isBusy(cause)) return this.#giveUpOld(this.#writes, cause);
      // Nothing of the batch is stored. One by one, so that a write that cannot succeed fails alone.
      if (batch.length === 1 || isHoldfastError(cause)) this.#fail(this.#writes, batch.length, cause);
      else this.#batchMax = 1;
      return false;
    }
  }

  #giveUpOld(queue: Waiting[], cause: unknown): true {
    const oldest = performance.now() - lockWaitMs;
    while (queue[0] !== undefined && queue[0].since < oldest) this.#fail(queue, 1, cause);
    return true;
  }

  /** An error of the port means that the database could not be opened: nobody who waits will have more luck. */
  #fail(queue: Waiting[], count: number, cause: unknown): void {
    const { code, message, details } = toStoreError(this.#path, cause);
    for (const { request } of queue.splice(0, count))
      this.#reply({ id: request.id, error: { code, message, details } });
  }

  /** Opens where needed. Where damage shows, the database is looked at page by page, replaced, and asked once more. */
  #onSoundConnection<Result>(operation: (connection: Connection) => Result): Result {
    if (this.#connection !== undefined && isMoved(this.#connection)) this.#disconnect();
    this.#connection ??= this.#connect(this.#path);
    try {
      return operation(this.#connection);
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      this.#disconnect();
      this.#connection = this.#connect(this.#path, true);
      return operation(this.#connection);
    }
  }

  #disconnect(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }
}

/** All operations in one transaction, which takes the write lock first: a transaction that reads and then writes could not wait. */
function commit(connection: Connection, batch: readonly Waiting[]): readonly unknown[] {
  connection.db.exec("begin immediate");
  try {
    const values = batch.map(({ request }) => runOperation(connection, request));
    connection.db.exec("commit");
    if (batch.some(({ request }) => request.operation === "eraseStream")) writeLogBack(connection);
    return values;
  } catch (cause) {
    if (connection.db.isTransaction) connection.db.exec("rollback");
    throw cause;
  }
}

/** The log still holds what was erased, until it is written back and cut. */
function writeLogBack({ db }: Connection): void {
  try {
    db.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // Expected: another process reads. What is erased is committed, and the log is written back by the next writer.
  }
}
