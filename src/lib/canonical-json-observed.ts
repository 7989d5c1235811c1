/**
 * The total variant of the canonical hash, for values that someone else wrote (PI-6): a provider body, a host's row.
 * It never throws, and its digests never equal a hash of our own values, because they carry a domain tag.
 */
import { canonicalSha256 } from "./canonical-json.ts";
import { type Sha256, sha256Hex } from "./sha256.ts";

const DOMAIN = "holdfast.observed.v1";

/**
 * @param raw gives the bytes that `value` was read from; they are hashed instead where the value has no canonical form
 * (a lone surrogate, a number that was rounded)
 */
export function digestObserved(value: unknown, raw: () => Uint8Array): Sha256 {
  try {
    return canonicalSha256(value, `${DOMAIN}\0canonical\0`);
  } catch {
    // Expected: observed data may hold what our own values may not.
    return sha256Hex(Buffer.concat([Buffer.from(`${DOMAIN}\0raw\0`), raw()]));
  }
}
