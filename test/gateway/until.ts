import { vi } from "vitest";

/** On a busy machine a thread takes seconds to start; what a test waits for may hang on one. */
const WAIT_MS_MAX = 20_000;

/** Resolves when `check` no longer throws. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, WAIT_MS_MAX);
}
