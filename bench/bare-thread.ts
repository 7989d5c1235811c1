/** The bare statement behind a message and its answer: what a thread costs that does nothing but insert. */
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

interface Insert {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly data: Uint8Array;
}

export interface BareThread {
  insert(insert: Insert): Promise<void>;
  close(): Promise<unknown>;
}

/** @param path a database with the table of `bareTable` */
export function startBareThread(path: string): BareThread {
  const worker = new Worker(new URL(import.meta.url), { workerData: { path } });
  return {
    async insert(insert) {
      worker.postMessage(insert);
      await once(worker, "message");
    },
    close: () => worker.terminate(),
  };
}

export function openBareTable(path: string, synchronous: "full" | "normal"): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}`);
  db.exec(
    "create table if not exists events (stream text, version integer, type text, data blob, unique (stream, version))",
  );
  return db;
}

export const BARE_INSERT = "insert into events values (?, ?, ?, ?)";

if (!isMainThread) {
  const statement = openBareTable((workerData as { path: string }).path, "full").prepare(BARE_INSERT);
  parentPort!.on("message", ({ stream, version, type, data }: Insert) => {
    statement.run(stream, version, type, data);
    parentPort!.postMessage(null);
  });
}
