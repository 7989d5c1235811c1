/**
 * Memory for request bodies: a limit over all of them, and blocks that are used again. A fresh block of a megabyte costs
 * more in page faults than everything else that the gateway does to a request.
 */

/** All bodies that are held at one moment. Behind it, bodies stream through: memory stays bounded under any load. */
const HELD_BYTES_MAX = 512 * 1024 * 1024;

/** Below this a fresh block is cheap. */
const BLOCK_BYTES_MIN = 64 * 1024;

/** What waits to be used again; enough for some sessions of the usual size side by side. */
const FREE_BYTES_MAX = 32 * 1024 * 1024;

export class BodyMemory {
  readonly #free: Buffer[] = [];
  #freeBytes = 0;
  #heldBytes = 0;

  /** Counts bytes against the limit; false where they would be too many. */
  reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > HELD_BYTES_MAX) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** @param bytes as reserved */
  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  /** A buffer of exactly `bytes`, its content undefined. It may be a view of a larger block. */
  allocate(bytes: number): Buffer {
    if (bytes < BLOCK_BYTES_MIN) return Buffer.allocUnsafeSlow(bytes);
    const index = this.#free.findIndex((block) => block.length >= bytes && block.length <= 4 * bytes);
    if (index < 0) return Buffer.from(new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes))), 0, bytes);
    const [block] = this.#free.splice(index, 1);
    this.#freeBytes -= block!.length;
    return block!.subarray(0, bytes);
  }

  /** Gives a buffer back. Nobody may look at it any more: not the engine, and not a socket that has yet to send it. */
  recycle(buffer: Buffer): void {
    if (buffer.length < BLOCK_BYTES_MIN) return;
    const block = Buffer.from(buffer.buffer);
    if (this.#freeBytes + block.length > FREE_BYTES_MAX) return;
    this.#free.push(block);
    this.#freeBytes += block.length;
  }
}
