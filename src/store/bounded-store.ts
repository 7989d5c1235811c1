/**
 * The store as the path of a request may use it: a read is waited for at most 50 ms, and a failure is a count and never
 * an exception. What the store cannot say in time is unknown, which is not the same as not there (DG-74).
 */
import { isHoldfastError } from "../lib/error.ts";
import type { AppendResult, EventStore, NewEvent, Owner, ReadOptions, StoredEvent } from "./event-store.ts";

/** A person does not notice it beside a model's answer. */
const readWaitMsDefault = 50;
/** Calls that a stuck store has not answered. Each holds its arguments in memory, so the next ones are not even begun. */
const pendingMax = 256;

export type Unknown = { readonly kind: "unknown"; readonly reason: "late" | "failed" | "overloaded" };
export type Known<Value> = { readonly kind: "known"; readonly value: Value };

/** Adds one to a counter. `code` is the code of the error, where there was one. */
export type CountFailure = (
  name: "store_late" | "store_failed" | "store_overloaded",
  labels: { readonly operation: string; readonly code?: string },
) => void;

export class BoundedStore {
  readonly #store: EventStore;
  readonly #count: CountFailure;
  readonly #readWaitMs: number;
  #pending = 0;

  constructor(store: EventStore, count: CountFailure, readWaitMs = readWaitMsDefault) {
    this.#store = store;
    this.#count = count;
    this.#readWaitMs = readWaitMs;
  }

  read(owner: Owner, stream: string, options?: ReadOptions): Promise<Known<readonly StoredEvent[]> | Unknown> {
    return this.#inTime("read", () => this.#attempt("read", () => this.#store.read(owner, stream, options)));
  }

  latest(owner: Owner, stream: string, type: string): Promise<Known<StoredEvent | undefined> | Unknown> {
    return this.#inTime("latest", () => this.#attempt("latest", () => this.#store.latest(owner, stream, type)));
  }

  /** Nobody has to wait for it, so it has no deadline: a locked store is given the time that the adapter allows. */
  append(
    owner: Owner,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<Known<AppendResult> | Unknown> {
    return this.#attempt("append", () => this.#store.append(owner, stream, expectedVersion, events));
  }

  async #inTime<Value>(
    operation: string,
    begin: () => Promise<Known<Value> | Unknown>,
  ): Promise<Known<Value> | Unknown> {
    const deadline = Promise.withResolvers<Unknown>();
    const timer = setTimeout(() => {
      this.#count("store_late", { operation });
      deadline.resolve({ kind: "unknown", reason: "late" });
    }, this.#readWaitMs);
    const answer = await Promise.race([begin(), deadline.promise]);
    clearTimeout(timer);
    return answer;
  }

  async #attempt<Value>(operation: string, call: () => Promise<Value>): Promise<Known<Value> | Unknown> {
    if (this.#pending >= pendingMax) {
      this.#count("store_overloaded", { operation });
      return { kind: "unknown", reason: "overloaded" };
    }
    this.#pending += 1;
    try {
      return { kind: "known", value: await call() };
    } catch (error) {
      // Expected: locked, full, broken, missing. The turn goes on without the store.
      this.#count("store_failed", { operation, code: isHoldfastError(error) ? error.code : "unexpected" });
      return { kind: "unknown", reason: "failed" };
    } finally {
      this.#pending -= 1;
    }
  }
}
