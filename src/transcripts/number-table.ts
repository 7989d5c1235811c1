/** Rows in one block: few enough for a small session. Blocks are never copied, so growth needs no second copy of all. */
const blockRows = 1 << 12;

/** Rows of numbers by field name, outside the JavaScript heap: half a million responses take 50 MB instead of 200. */
export class NumberTable<Wide extends string, Small extends string> {
  readonly #wide: readonly Wide[];
  readonly #small: readonly Small[];
  readonly #blocks: Record<string, Float64Array | Int32Array>[] = [];
  #count = 0;

  /** @param wide fields that hold any number  @param small fields that hold 32-bit integers */
  constructor(wide: readonly Wide[], small: readonly Small[]) {
    this.#wide = wide;
    this.#small = small;
  }

  get count(): number {
    return this.#count;
  }

  add(row: Readonly<Record<Wide | Small, number>>): number {
    const index = this.#count++;
    if (index % blockRows === 0) this.#blocks.push(this.#newBlock());
    for (const field of this.#wide) this.set(index, field, row[field]);
    for (const field of this.#small) this.set(index, field, row[field]);
    return index;
  }

  get(index: number, field: Wide | Small): number {
    return this.#blocks[Math.floor(index / blockRows)]![field]![index % blockRows]!;
  }

  set(index: number, field: Wide | Small, value: number): void {
    this.#blocks[Math.floor(index / blockRows)]![field]![index % blockRows] = value;
  }

  #newBlock(): Record<string, Float64Array | Int32Array> {
    const block: Record<string, Float64Array | Int32Array> = {};
    for (const field of this.#wide) block[field] = new Float64Array(blockRows);
    for (const field of this.#small) block[field] = new Int32Array(blockRows);
    return block;
  }
}
