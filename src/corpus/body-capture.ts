/** The engine's port for bodies: hands them to a thread of its own and forgets them. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { BodyCapture, CapturedBody } from "../engine/capture.ts";
import { type PreparedRows, toPrepared } from "./prepared-rows.ts";

export interface CaptureOrder {
  readonly id: number;
  readonly body: OrderedBody;
}

/** A body as it goes to the thread: without what only this one can hold. */
export type OrderedBody = Omit<CapturedBody, "prepared"> & { readonly prepared: PreparedRows | null };

export interface CaptureAnswer {
  readonly id: number;
  /** `written`, `known`, or why there is no fixture. */
  readonly result: string;
}

/** Larger ones are rare, and nobody reads them as a fixture. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** Bodies that wait for the thread are copies in memory. */
const WAITING_MAX = 8;

/** At the end of a process what waits is written: on a busy machine a thread takes seconds to start. Ctrl-C waits less. */
const CLOSE_MS_MAX = 10_000;

/** @param folder a corpus that `holdfast replay` reads; it is made with the first fixture */
export function openBodyCapture(folder: string): BodyCapture {
  return new ThreadCapture(folder);
}

class ThreadCapture implements BodyCapture {
  readonly #folder: string;
  readonly #waiting = new Map<number, (result: string) => void>();
  #worker: Worker | null = null;
  #lastId = 0;
  #idle: (() => void) | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  capture(body: CapturedBody, ended: (result: string) => void): void {
    if (body.bytes.length > BODY_BYTES_MAX) {
      ended("too_large");
      return;
    }
    if (this.#waiting.size >= WAITING_MAX) {
      ended("overloaded");
      return;
    }
    this.#lastId += 1;
    // A copy of its own, because the memory behind it goes to the thread.
    const bytes = new Uint8Array(body.bytes);
    const { prepared: history, ...rest } = body;
    const prepared = history === undefined ? null : toPrepared(history.host, history.rows);
    const order: CaptureOrder = { id: this.#lastId, body: { ...rest, bytes, prepared } };
    this.#waiting.set(order.id, ended);
    this.#worker ??= this.#start();
    this.#worker.postMessage(order, [bytes.buffer]);
  }

  async close(): Promise<void> {
    if (this.#waiting.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS_MAX).unref());
      this.#worker?.ref();
      await Promise.race([idle, late]);
    }
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // The file beside this one, in the sources as in the build.
    const file = new URL(`./capture-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { workerData: { folder: this.#folder }, name: "holdfast-capture" });
    worker.unref();
    worker.on("message", ({ id, result }: CaptureAnswer) => this.#settle(id, result));
    // A crash loses what waits, and says so; the next body starts another thread.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
      for (const id of [...this.#waiting.keys()]) this.#settle(id, "lost");
    });
    return worker;
  }

  #settle(id: number, result: string): void {
    const ended = this.#waiting.get(id);
    this.#waiting.delete(id);
    ended?.(result);
    if (this.#waiting.size === 0) this.#idle?.();
  }
}
