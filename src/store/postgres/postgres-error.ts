/** PostgreSQL's error codes, and those of the driver, as the errors of the port. */
import type { HoldfastError } from "../../lib/error.ts";
import { isHoldfastError } from "../../lib/error.ts";
import { type StoreErrorCode, storeError } from "../store-error.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; what is not listed is `store_unavailable`. */
const codes: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  "25006": ["store_read_only", "it is read-only"],
  "42501": ["store_read_only", "this user may not do that"],
  "53100": ["store_full", "its disk is full"],
  "55P03": ["store_locked", "it is locked"],
  "57014": ["store_locked", "it did not answer in time"],
  XX001: ["store_damaged", "it is damaged"],
  XX002: ["store_damaged", "it is damaged"],
};

export function toStoreError(location: string, cause: unknown): HoldfastError {
  if (isHoldfastError(cause)) return cause;
  const [code, what] = codes[codeOf(cause)] ?? ["store_unavailable", "it failed"];
  return storeError(code, location, `${what} (${messageOf(cause)})`, cause);
}

function codeOf(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/** A refused connection to a name with two addresses has its reasons inside, and no message of its own. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}
