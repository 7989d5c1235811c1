/** One block of text. An id that does not fit into the rest of a block begins a new one. */
const blockBytes = 1 << 16;

/** Many short strings as bytes: a JavaScript string of twenty letters takes three times its length. */
export class TextTable {
  readonly #blocks: Buffer[] = [];
  readonly #places: Float64Array[] = [];
  #used = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    const bytes = Math.min(Buffer.byteLength(text), 0x7fff);
    if (this.#blocks.length === 0 || this.#used + bytes > blockBytes) {
      this.#blocks.push(Buffer.allocUnsafe(blockBytes));
      this.#used = 0;
    }
    this.#blocks.at(-1)!.write(text, this.#used, bytes);
    const row = this.#count++;
    if (row % placesInBlock === 0) this.#places.push(new Float64Array(placesInBlock));
    this.#places.at(-1)![row % placesInBlock] = ((this.#blocks.length - 1) * blockBytes + this.#used) * 0x10000 + bytes;
    this.#used += bytes;
  }

  get(row: number): string {
    const place = this.#places[Math.floor(row / placesInBlock)]![row % placesInBlock]!;
    const bytes = place % 0x10000;
    const start = Math.floor(place / 0x10000);
    const block = this.#blocks[Math.floor(start / blockBytes)]!;
    return block.toString("utf8", start % blockBytes, (start % blockBytes) + bytes);
  }
}

const placesInBlock = 1 << 12;
