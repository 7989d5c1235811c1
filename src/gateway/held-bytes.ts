/** Bytes of bodies that requests on their way hold, over all of them. */

/** Behind it, bodies stream through unread: memory stays bounded under any load. */
const HELD_BYTES_MAX = 512 * 1024 * 1024;

export class HeldBytes {
  #bytes = 0;

  /** False where they would be too many; then nothing is counted. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > HELD_BYTES_MAX) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
