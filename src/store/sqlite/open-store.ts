/** The embedded store: one file, any number of processes on one machine. */
import { once } from "node:events";
import { extname, resolve } from "node:path";
import { Worker } from "node:worker_threads";
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
import type { StoreOptions } from "../store-options.ts";
import type { OperationArguments, OperationName, OperationResult, Reply, Request } from "./operations.ts";

/**
 * Opens the database at `path`; creates it and its folder where there is none, moves it aside where it is damaged.
 * @throws HoldfastError why it cannot be opened
 */
export async function openSqliteStore(path: string, options: StoreOptions = {}): Promise<EventStore> {
  const store = new SqliteStore(resolve(path), options);
  try {
    await store.open();
  } catch (cause) {
    await store.close();
    throw cause;
  }
  return store;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HoldfastError) => void;
}

class SqliteStore implements EventStore {
  readonly #path: string;
  readonly #options: StoreOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #letGo: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(path: string, options: StoreOptions) {
    this.#path = path;
    this.#options = options;
  }

  open(): Promise<undefined> {
    return this.#ask("open");
  }

  async append(
    owner: Owner,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    checkAppend(owner, stream, expectedVersion, events);
    // A view into a larger buffer would take all of that buffer along to the worker.
    const copies = events.map(({ type, data }) => ({ type, data: new Uint8Array(data) }));
    return this.#ask("append", owner, stream, expectedVersion, copies);
  }

  async read(owner: Owner, stream: string, options: ReadOptions = {}): Promise<readonly StoredEvent[]> {
    checkStream(owner, stream);
    const { fromVersion, limit } = readRange(options);
    return this.#ask("read", owner, stream, fromVersion, limit);
  }

  async latest(owner: Owner, stream: string, type: string): Promise<StoredEvent | undefined> {
    checkStream(owner, stream);
    return this.#ask("latest", owner, stream, type);
  }

  async listStreams(owner: Owner, options: ListStreamsOptions = {}): Promise<readonly StreamSummary[]> {
    checkOwner(owner);
    return this.#ask("listStreams", owner, options);
  }

  async quarantine(owner: Owner, stream: string, version: number, reason: string): Promise<void> {
    checkStream(owner, stream);
    checkName("reason", reason);
    return this.#ask("quarantine", owner, stream, version, reason);
  }

  listOwners(options: ListOwnersOptions = {}): Promise<readonly Owner[]> {
    return this.#ask("listOwners", options);
  }

  async eraseStream(owner: Owner, stream: string): Promise<number> {
    checkStream(owner, stream);
    return this.#ask("eraseStream", owner, stream);
  }

  async addCounts(counts: readonly Count[]): Promise<void> {
    checkCounts(counts);
    return this.#ask("addCounts", counts);
  }

  counts(): Promise<readonly Count[]> {
    return this.#ask("counts");
  }

  check(): Promise<StoreCheck> {
    return this.#ask("check");
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#holdProcess(worker);
    worker.postMessage("close");
    await once(worker, "exit");
  }

  async #ask<Name extends OperationName>(
    operation: Name,
    ...rest: OperationArguments<Name>
  ): Promise<OperationResult<Name>> {
    if (this.#closed) throw storeError("store_closed", this.#path, "it is closed");
    this.#worker ??= this.#startWorker();
    this.#lastId += 1;
    const request: Request = { id: this.#lastId, operation, arguments: rest };
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(request.id, { resolve, reject }));
    this.#holdProcess(this.#worker);
    this.#worker.postMessage(request);
    return (await answer) as OperationResult<Name>;
  }

  /** The process may end while nobody waits for the store, and not before an answer that somebody waits for. */
  #holdProcess(worker: Worker): void {
    worker.ref();
    const { holdProcessMs } = this.#options;
    if (holdProcessMs !== undefined) this.#letGo ??= setTimeout(() => worker.unref(), holdProcessMs).unref();
  }

  /** Also after a crash of the worker: the next call starts another one, which opens the database again. */
  #startWorker(): Worker {
    // The file beside this one, in the sources as in the build.
    const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, {
      workerData: { path: this.#path, openWaitMs: this.#options.openWaitMs },
      name: "holdfast-store",
      // Node 22 warns that node:sqlite is experimental, on the terminal of whoever uses us.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    worker.on("message", (reply: Reply) => this.#settle(reply));
    worker.on("error", (cause) => this.#stopped(worker, cause));
    worker.on("exit", () => this.#stopped(worker, undefined));
    return worker;
  }

  #settle({ id, value, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && !this.#closed) {
      this.#worker?.unref();
      clearTimeout(this.#letGo);
      this.#letGo = undefined;
    }
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new HoldfastError(error.code, error.message, { details: error.details ?? {} }));
  }

  #stopped(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) {
      reject(storeError("store_unavailable", this.#path, "its worker thread stopped", cause));
    }
    this.#waiting.clear();
  }
}
