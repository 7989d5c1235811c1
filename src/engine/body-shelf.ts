/**
 * The last body of each lane, in memory of its own that grows with the lane: the caller's bytes go back to the caller,
 * and of a turn only what is new is copied. Fresh memory costs more than copying (a page fault is microseconds).
 */
import type { ReadBody } from "../dispatch/body-reader.ts";
import type { RowChain } from "../dispatch/row-chain.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { commonPrefixLength } from "../lib/common-prefix.ts";

export interface ShelvedBody {
  readonly body: ReadBody;
  readonly chain: RowChain;
}

/** Bodies of this many lanes, or of this many bytes together, are kept to read the next one by its difference (GW-7). */
const BODIES_MAX = 64;
const BODY_BYTES_MAX = 256 * 1024 * 1024;

/** Room for the turns to come, so that not every turn needs a larger buffer. */
const GROWTH = 1.25;

/** The shelved body of a lane, and how many bytes another body shares with it from the start. */
export interface NearestBody extends ShelvedBody {
  readonly lane: string;
  readonly shared: number;
}

export class BodyShelf {
  readonly #bodies = new BoundedMap<string, ShelvedBody & { readonly buffer: Buffer }>(BODIES_MAX, BODY_BYTES_MAX);

  /** The body of one of these lanes that shares the most bytes. */
  nearest(lanes: readonly string[], bytes: Uint8Array): NearestBody | null {
    let nearest: NearestBody | null = null;
    for (const lane of lanes) {
      const shelved = this.#bodies.peek(lane);
      const shared = shelved === undefined ? 0 : commonPrefixLength(bytes, shelved.body.bytes);
      if (shelved !== undefined && shared > (nearest?.shared ?? 0)) nearest = { ...shelved, lane, shared };
    }
    return nearest;
  }

  /** The bytes of what is returned are overwritten by the next `put`; its values stay. */
  get(lane: string): ShelvedBody | null {
    return this.#bodies.get(lane) ?? null;
  }

  /** The same, for a look that does not count as use. */
  peek(lane: string): ShelvedBody | null {
    return this.#bodies.peek(lane) ?? null;
  }

  /** @param nearest what `nearest` said about this body: its bytes are not compared once more */
  put(lane: string, { body, chain }: ShelvedBody, nearest: NearestBody | null): void {
    const before = this.#bodies.get(lane);
    const fits = before !== undefined && before.buffer.length >= body.bytes.length;
    const buffer = fits ? before.buffer : Buffer.allocUnsafeSlow(Math.ceil(body.bytes.length * GROWTH));
    const shared = fits && nearest?.lane === lane ? nearest.shared : 0;
    buffer.set(body.bytes.subarray(shared), shared);
    const bytes = buffer.subarray(0, body.bytes.length);
    this.#bodies.set(lane, { body: { ...body, bytes }, chain, buffer }, buffer.length);
  }
}
