/**
 * Memory for request bodies: a limit over all of them, and blocks that are used again. A fresh block of a megabyte costs
 * more in page faults than everything else that the gateway does to a request.
 */

/** All bodies that are held at one moment. Behind it, bodies stream through unread: memory stays bounded under any load. */
const HELD_BYTES_MAX = 512 * 1024 * 1024;

/** Below this a fresh block is cheap. */
const BLOCK_BYTES_MIN = 64 * 1024;

/** What waits to be used again; enough for some sessions of the usual size side by side. */
const FREE_BYTES_MAX = 64 * 1024 * 1024;

export class BodyMemory {
  readonly #free: Buffer[] = [];
  /** The block behind each buffer that was given out. */
  readonly #blocks = new WeakMap<Buffer, Buffer>();
  #freeBytes = 0;
  #heldBytes = 0;

  /** Counts bytes against the limit; false where they would be too many, and nothing is counted then. */
  reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > HELD_BYTES_MAX) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** @param bytes as reserved */
  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  /** A buffer of exactly `bytes`, its content undefined. */
  allocate(bytes: number): Buffer {
    if (bytes < BLOCK_BYTES_MIN) return Buffer.allocUnsafeSlow(bytes);
    const block = this.#takeFree(bytes) ?? Buffer.allocUnsafeSlow(blockBytes(bytes));
    const buffer = block.subarray(0, bytes);
    this.#blocks.set(buffer, block);
    return buffer;
  }

  /**
   * Takes a buffer back that `allocate` gave out; any other one is left alone. Nobody may look at it any more: not the
   * engine, and not a socket that has yet to send it.
   */
  recycle(buffer: Buffer): void {
    const block = this.#blocks.get(buffer);
    if (block === undefined || this.#freeBytes + block.length > FREE_BYTES_MAX) return;
    this.#blocks.delete(buffer);
    this.#free.push(block);
    this.#freeBytes += block.length;
  }

  /** A block that waits and is not far too large: small bodies would bind large blocks. */
  #takeFree(bytes: number): Buffer | null {
    const index = this.#free.findIndex((block) => block.length >= bytes && block.length <= 4 * bytes);
    if (index === -1) return null;
    const [block] = this.#free.splice(index, 1);
    this.#freeBytes -= block!.length;
    return block!;
  }
}

/** A little more than is asked for, in few sizes, so that the body of the next turn finds a block that fits. */
function blockBytes(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 2);
  return Math.ceil(bytes / step) * step;
}
