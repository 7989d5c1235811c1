/** SHA-256 in hexadecimal: the one hash function of every identity. */
import { nodeCrypto } from "./node-crypto.ts";

declare const brand: unique symbol;

/** 64 lower-case hexadecimal digits. */
export type Sha256 = string & { readonly [brand]: "Sha256" };

/** @param data a string is hashed as UTF-8; it must be well-formed, or different strings share one hash (PI-4) */
export function sha256Hex(data: string | Uint8Array): Sha256 {
  return nodeCrypto().hash("sha256", data, "hex") as Sha256;
}

export function isSha256(value: unknown): value is Sha256 {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
