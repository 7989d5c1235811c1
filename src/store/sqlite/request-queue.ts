/**
 * Answers requests on one connection. Reads go first and wait for nobody. Writes that wait together are committed
 * together: a commit costs a flush of the disk, and thirty-two events in one cost hardly more than one.
 */
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

interface WaitingWrite {
  readonly request: Request;
  readonly since: number;
}

export class RequestQueue {
  readonly #path: string;
  readonly #reply: (reply: Reply) => void;
  readonly #connect: typeof openConnection;
  #connection: Connection | undefined;
  #reads: Request[] = [];
  #writes: WaitingWrite[] = [];
  #batchMax = batchWritesMax;
  #scheduled = false;
  #idle: (() => void) | undefined;

  constructor(path: string, reply: (reply: Reply) => void, connect = openConnection) {
    this.#path = path;
    this.#reply = reply;
    this.#connect = connect;
  }

  accept(request: Request): void {
    if (isWrite(request)) this.#writes.push({ request, since: performance.now() });
    else this.#reads.push(request);
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
    for (const request of this.#reads.splice(0)) this.#answerRead(request);
    const locked = this.#answerWrites();
    if (this.#writes.length > 0) this.#schedule(locked ? lockRetryMs : 0);
    else this.#idle?.();
  }

  #answerRead(request: Request): void {
    try {
      const value = this.#onSoundConnection((connection) => runOperation(connection, request));
      this.#reply({ id: request.id, value });
    } catch (cause) {
      this.#replyError(request, cause);
    }
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
      if (isBusy(cause)) return this.#giveUpOldWrites(cause);
      // Nothing of the batch is stored. One by one, so that a write that cannot succeed fails alone.
      if (batch.length === 1) this.#replyError(this.#writes.shift()!.request, cause);
      else this.#batchMax = 1;
      return false;
    }
  }

  #giveUpOldWrites(cause: unknown): true {
    const oldest = performance.now() - lockWaitMs;
    while (this.#writes[0] !== undefined && this.#writes[0].since < oldest) {
      this.#replyError(this.#writes.shift()!.request, cause);
    }
    return true;
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

  #replyError(request: Request, cause: unknown): void {
    const { code, message, details } = toStoreError(this.#path, cause);
    this.#reply({ id: request.id, error: { code, message, details } });
  }
}

/** All operations in one transaction, which takes the write lock first: a transaction that reads and then writes could not wait. */
function commit(connection: Connection, batch: readonly WaitingWrite[]): readonly unknown[] {
  connection.db.exec("begin immediate");
  try {
    const values = batch.map(({ request }) => runOperation(connection, request));
    connection.db.exec("commit");
    return values;
  } catch (cause) {
    if (connection.db.isTransaction) connection.db.exec("rollback");
    throw cause;
  }
}
