/** SQLite's result codes as the errors of the port. */
import type { HoldfastError } from "../../lib/error.ts";
import { isHoldfastError } from "../../lib/error.ts";
import { type StoreErrorCode, storeError } from "../store-error.ts";

/** By primary result code, https://www.sqlite.org/rescode.html. */
const codes: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  5: ["store_locked", "it is locked"],
  6: ["store_locked", "it is locked"],
  8: ["store_read_only", "it is read-only"],
  11: ["store_damaged", "it is damaged"],
  13: ["store_full", "the disk is full"],
  14: ["store_unavailable", "it cannot be opened"],
  26: ["store_damaged", "it is not a database"],
};

/** What the file system says before SQLite is asked. */
const systemCodes: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  EACCES: ["store_read_only", "its folder cannot be written"],
  EPERM: ["store_read_only", "its folder cannot be written"],
  EROFS: ["store_read_only", "its folder cannot be written"],
  ENOSPC: ["store_full", "the disk is full"],
};

export const damageCode = 11;

export function toStoreError(path: string, cause: unknown): HoldfastError {
  if (isHoldfastError(cause)) return cause;
  const [code, what] = codes[primaryCode(cause)] ??
    systemCodes[systemCode(cause)] ?? ["store_unavailable", "it failed"];
  return storeError(code, path, `${what} (${cause instanceof Error ? cause.message : cause})`, cause);
}

export function isBusy(cause: unknown): boolean {
  return primaryCode(cause) === 5 || primaryCode(cause) === 6;
}

export function isDamage(cause: unknown): boolean {
  return primaryCode(cause) === damageCode || primaryCode(cause) === 26;
}

/** The low byte of an extended result code; 0 for an error that is not SQLite's. */
function primaryCode(cause: unknown): number {
  const extended = typeof cause === "object" && cause !== null && "errcode" in cause ? Number(cause.errcode) : 0;
  return extended & 0xff;
}

function systemCode(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}
