import { HoldfastError } from "../lib/error.ts";

/** What the person typed does not fit: one line that names the value and the next step, exit code 2. */
export function usageError(message: string): HoldfastError {
  return new HoldfastError("usage", message);
}
