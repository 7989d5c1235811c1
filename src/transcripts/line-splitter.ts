/** A longer line cannot become a string in every runtime, and no agent writes one: it is skipped and counted. */
const lineBytesMax = 128 * 1024 * 1024;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** False for a last piece that no newline ends. */
  readonly ended: boolean;
  /** The line was longer than the limit; `bytes` is empty. */
  readonly oversized: boolean;
}

/**
 * Cuts a stream of chunks at 0x0A and nowhere else: U+2028, U+2029 and a lone CR are text in JSON, and a splitter that
 * knows them breaks sound records.
 */
export class LineSplitter {
  readonly #onLine: (line: Line) => void;
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #oversized = false;
  #number = 0;

  constructor(onLine: (line: Line) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#emit(true);
      start = end + 1;
    }
    // The rest is copied: it must not keep the whole chunk alive, nor change when the chunk is used again.
    if (start < chunk.length) this.#keep(Buffer.from(chunk.subarray(start)));
  }

  end(): void {
    if (this.#carryBytes > 0 || this.#oversized) this.#emit(false);
  }

  #keep(bytes: Buffer): void {
    this.#carryBytes += bytes.length;
    if (this.#carryBytes > lineBytesMax) {
      this.#oversized = true;
      this.#carry = [];
      return;
    }
    this.#carry.push(bytes);
  }

  #emit(ended: boolean): void {
    const bytes = this.#carry.length === 1 ? this.#carry[0]! : Buffer.concat(this.#carry);
    const oversized = this.#oversized;
    this.#carry = [];
    this.#carryBytes = 0;
    this.#oversized = false;
    this.#number += 1;
    this.#onLine({ number: this.#number, bytes, ended, oversized });
  }
}
