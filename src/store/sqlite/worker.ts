/** The thread that owns the database. SQLite is synchronous: a foreign lock or a slow disk stops this thread only. */
import { parentPort, workerData } from "node:worker_threads";
import type { Reply, Request } from "./operations.ts";
import { RequestQueue } from "./request-queue.ts";

const port = parentPort!;
const queue = new RequestQueue((workerData as { path: string }).path, (reply: Reply) => port.postMessage(reply));

port.on("message", (message: Request | "close") => {
  if (message === "close") void queue.close().then(() => port.close());
  else queue.accept(message);
});
