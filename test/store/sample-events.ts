/** What the tests of the store write. */
import type { NewEvent, Owner } from "../../src/store/event-store.ts";

export const ada: Owner = { tenant: "acme", principal: "ada" };

export function event(value: unknown, type = "thing.happened"): NewEvent {
  return { type, data: new TextEncoder().encode(JSON.stringify(value)) };
}

/** The stream to which several processes write. */
export const sharedStream = "session/shared";

export function text(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}
