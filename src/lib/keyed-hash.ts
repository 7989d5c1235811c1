/** What is stored of prompts and credentials are hashes with a key that lies beside the store, not in it (DG-75). */
import { createHmac, createSecretKey } from "node:crypto";

export type KeyedHash = (purpose: string, text: string) => string;

/** @param key 32 bytes; the result has 32 hexadecimal digits, and differs by purpose so that tables cannot be joined */
export function keyedHash(key: Uint8Array): KeyedHash {
  // Made once: of bytes, each hash would make the same key anew, which takes longer than the hash.
  const secret = createSecretKey(key);
  return (purpose, text) => createHmac("sha256", secret).update(`${purpose}\0${text}`).digest("hex").slice(0, 32);
}
