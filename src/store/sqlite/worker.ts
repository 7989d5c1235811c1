/** The thread that owns the database. SQLite is synchronous: a foreign lock or a slow disk stops this thread only. */
import { parentPort, workerData } from "node:worker_threads";
import { openConnection } from "./open-connection.ts";
import type { Reply, Request } from "./operations.ts";
import { RequestQueue } from "./request-queue.ts";

const port = parentPort!;
const { path, openWaitMs } = workerData as { path: string; openWaitMs: number | undefined };
const connect: typeof openConnection = (file, suspect) => openConnection(file, suspect, openWaitMs);
const queue = new RequestQueue(path, (reply: Reply) => port.postMessage(reply), connect);

port.on("message", (message: Request | "close") => {
  if (message === "close") void queue.close().then(end);
  else queue.accept(message);
});

function end(): void {
  port.close();
  // Bun 1.3 keeps a thread whose port is closed.
  if (process.versions.bun !== undefined) process.exit();
}
