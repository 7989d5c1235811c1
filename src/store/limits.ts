/** The bounds of every adapter and the checks that keep a caller inside them, before anything reaches a database. */
import { assert } from "../lib/assert.ts";
import { HoldfastError } from "../lib/error.ts";
import type { Count, ListOwnersOptions, ListStreamsOptions, NewEvent, Owner, ReadOptions } from "./event-store.ts";

/** One answer must fit in memory beside the requests of a gateway; longer streams are read in pages. */
export const readEventsMax = 10_000;
/** A page of names, of streams or of owners. */
export const listStreamsMax = 1_000;
/** One append is one transaction: it must not hold the write lock for long. */
export const appendEventsMax = 1_000;
/** Far above any plan or checkpoint; SQLite and PostgreSQL both take a value of this size in one piece. */
export const eventBytesMax = 64 * 1024 * 1024;
/** PostgreSQL refuses index entries above about 2,700 bytes; three names of 200 code units stay below it in UTF-8. */
export const nameLengthMax = 200;

/** NUL cannot be stored by PostgreSQL, a lone surrogate would be joined with U+FFFD by SQLite, and U+10FFFF ends a prefix search. */
const unusableInName = /[\0\u{10FFFF}]/u;

export function checkAppend(owner: Owner, stream: string, expectedVersion: number, events: readonly NewEvent[]): void {
  checkStream(owner, stream);
  assert(Number.isSafeInteger(expectedVersion) && expectedVersion >= 0, `expected version ${expectedVersion}`);
  assert(events.length >= 1 && events.length <= appendEventsMax, `${events.length} events in one append`);
  for (const event of events) {
    checkName("event type", event.type);
    assert(event.data.length > 0, `no data in an event ${event.type}`);
    if (event.data.length > eventBytesMax) {
      throw new HoldfastError(
        "store_event_too_large",
        `The event ${event.type} of stream ${stream} has ${event.data.length} bytes; the store takes at most ${eventBytesMax}.`,
      );
    }
  }
}

export function checkStream(owner: Owner, stream: string): void {
  checkOwner(owner);
  checkName("stream", stream);
}

export function checkOwner(owner: Owner): void {
  checkName("tenant", owner.tenant);
  checkName("principal", owner.principal);
}

/** Two names that differ must never become one on their way into a database. */
export function checkName(what: string, name: string): void {
  if (name.length >= 1 && name.length <= nameLengthMax && name.isWellFormed() && !unusableInName.test(name)) return;
  throw new HoldfastError(
    "store_name_invalid",
    `The ${what} ${JSON.stringify(name.slice(0, nameLengthMax))} cannot be stored: use 1 to ${nameLengthMax} characters of valid Unicode without NUL.`,
  );
}

export function checkCounts(counts: readonly Count[]): void {
  for (const { name, count } of counts) {
    checkName("counter", name);
    assert(Number.isSafeInteger(count) && count >= 0, `${count} added to the counter ${name}`);
  }
}

export function readRange(options: ReadOptions): { fromVersion: number; limit: number } {
  return { fromVersion: options.fromVersion ?? 1, limit: Math.min(options.limit ?? readEventsMax, readEventsMax) };
}

/** Names of a page: above `after`, from `from` on, and below `below`, all by code point. */
export function listRange(options: ListStreamsOptions): { from: string; below: string; after: string; limit: number } {
  const prefix = options.prefix ?? "";
  return {
    from: prefix,
    below: `${prefix}\u{10FFFF}`,
    after: options.after ?? "",
    limit: Math.min(options.limit ?? listStreamsMax, listStreamsMax),
  };
}

/** Owners of a page: those above `after`, by tenant, then principal. */
export function ownerRange({ after, limit = listStreamsMax }: ListOwnersOptions): { after: Owner; limit: number } {
  return { after: after ?? { tenant: "", principal: "" }, limit: Math.min(limit, listStreamsMax) };
}

/** What stands in place of a reason where the bytes of an event were removed: it is not damaged. */
export const ERASED = "erased";
