/**
 * SHA-256 of a body as it came and as it left, for a person who compares it with a dump of their own (GW-3). Only where there
 * is a reason to: hashing every body would cost each turn. Shown, never stored: what is stored has keyed hashes (DG-75).
 */
import { type Sha256, sha256Hex } from "../lib/sha256.ts";

export interface BodySha256 {
  readonly received: Sha256;
  readonly sent: Sha256;
}

export function bodySha256(received: Uint8Array, sent: Uint8Array): BodySha256 {
  const hash = sha256Hex(received);
  return { received: hash, sent: sent === received ? hash : sha256Hex(sent) };
}
