/**
 * Server-sent events of a response copy. The stream itself is never re-made from these: a client gets the provider's
 * own bytes.
 */
import { createParser } from "eventsource-parser";

export interface SseEvent {
  /** The `event:` field, or null where the stream does not name its events. */
  readonly event: string | null;
  readonly data: string;
}

/**
 * The complete events in `bytes`, in order. An event that was cut off at the end is left out, malformed lines are
 * skipped: a damaged copy must never cost more than its own numbers.
 */
export function readSseEvents(bytes: Uint8Array): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event: event ?? null, data }),
  });
  // A decoder that is not fatal: a cut inside a character must not lose the events before it.
  parser.feed(new TextDecoder().decode(bytes));
  return events;
}
