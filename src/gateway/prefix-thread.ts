/** The thread that compares two bodies: at some megabytes that takes longer than other streams may wait. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { BodyPair, PrefixCause, SentBody } from "./prefix-cause.ts";

/** Why two bodies were not compared. */
export type Missed = "overloaded" | "deadline" | "failed" | "closing";

export type Compared =
  | { readonly kind: "compared"; readonly cause: PrefixCause | null }
  | { readonly kind: "missed"; readonly reason: Missed };

/** As many as there are histories whose last body is kept: all of them may move at once, when an agent is updated. */
const WAITING_MAX = 64;

/** Those that wait are copies in memory; the two largest bodies that there can be find room. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;

/** The largest bodies take two seconds; a busy machine needs some more to start the thread. */
const COMPARE_MS_MAX = 20_000;

/** Two bodies of 64 MiB of usual content need half of it. What needs more ends the thread, and not the gateway. */
const HEAP_MB_MAX = 2_048;

/** A thread keeps the memory of the largest bodies that it has seen; prefixes move rarely enough to begin anew. */
const IDLE_MS_MAX = 60_000;

interface Order {
  readonly pair: OwnedPair;
  readonly ended: (compared: Compared) => void;
}

/** The memory of both goes to the thread. */
interface OwnedPair extends BodyPair {
  readonly before: OwnedBody;
  readonly after: OwnedBody;
}

interface OwnedBody extends SentBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class PrefixThread {
  readonly #waiting: Order[] = [];
  #waitingBytes = 0;
  #running: Order | null = null;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Copies the later body where it takes the pair. Never rejects. */
  compare({ api, before, after }: BodyPair & { readonly before: OwnedBody }): Promise<Compared> {
    const bytes = before.bytes.length + after.bytes.length;
    if (this.#closed) return Promise.resolve(missed("closing"));
    if (this.#waiting.length >= WAITING_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      return Promise.resolve(missed("overloaded"));
    const { promise, resolve } = Promise.withResolvers<Compared>();
    const pair = { api, before, after: { ...after, bytes: new Uint8Array(after.bytes) } };
    this.#waiting.push({ pair, ended: resolve });
    this.#waitingBytes += bytes;
    this.#next();
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { ended } of this.#waiting.splice(0)) ended(missed("closing"));
    await this.#stop("closing");
  }

  /** One at a time, so that each has a deadline of its own. */
  #next(): void {
    const order = this.#running === null ? this.#waiting.shift() : undefined;
    if (order === undefined) return;
    const { before, after } = order.pair;
    this.#waitingBytes -= before.bytes.length + after.bytes.length;
    this.#running = order;
    this.#stopAfter(COMPARE_MS_MAX);
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(order.pair, [before.bytes.buffer, after.bytes.buffer]);
    } catch {
      // Expected: a process that may start no threads. The turn is on its way, and its line says so.
      this.#end(missed("failed"));
    }
  }

  #end(compared: Compared): void {
    this.#running?.ended(compared);
    this.#running = null;
    this.#stopAfter(IDLE_MS_MAX);
    this.#next();
  }

  /** Of a thread that takes too long, or has nothing to do. */
  #stopAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#stop("deadline"), ms).unref();
  }

  async #stop(reason: Missed): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    if (this.#running !== null) this.#end(missed(reason));
    if (this.#worker === null) clearTimeout(this.#timer);
    await worker?.terminate();
  }

  #start(): Worker {
    // The file beside this one, in the sources as in the build.
    const file = new URL(`./prefix-worker${extname(import.meta.url)}`, import.meta.url);
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB_MAX };
    const worker = new Worker(file, { name: "holdfast-prefix", resourceLimits });
    worker.unref();
    worker.on("message", (compared: Compared) => {
      if (this.#worker === worker) this.#end(compared);
    });
    // A crash loses the one that runs, and says so; the next one starts another thread.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      if (this.#running !== null) this.#end(missed("failed"));
    });
    return worker;
  }
}

function missed(reason: Missed): Compared {
  return { kind: "missed", reason };
}
