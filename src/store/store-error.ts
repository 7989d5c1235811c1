/** The ways in which a store's environment is broken, each with what a person can do about it. */
import { HoldfastError } from "../lib/error.ts";

export type StoreErrorCode = keyof typeof advice;

const advice = {
  store_locked: "Another program holds its write lock; close that program or wait.",
  store_full: "There is no space left; free some. Nothing that was stored is lost.",
  store_read_only: "It can be read but not written; check the permissions, or name another store with --store.",
  store_damaged: "It is not a sound database; move it away, or name another store with --store.",
  store_foreign: "Nothing in it was touched; name another store with --store.",
  store_schema_newer: "A newer Holdfast wrote it; update this one, or name another store with --store.",
  store_unavailable: "Check that it exists and can be reached, or name another store with --store.",
  store_closed: "It was closed before this call.",
} as const;

/** @param location a path, or a URL without its password */
export function storeError(code: StoreErrorCode, location: string, what: string, cause?: unknown): HoldfastError {
  return new HoldfastError(code, `The store ${location}: ${what}. ${advice[code]}`, { cause, details: { location } });
}
