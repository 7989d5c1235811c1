/**
 * A map that forgets the least recently used entry when it holds more than its limits allow. Every cache over outside
 * data is one of these, so that no client can make the process grow without end.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, { value: V; size: number }>();
  readonly #entriesMax: number;
  readonly #sizeMax: number;
  readonly #forgotten: (value: V) => void;
  #size = 0;

  /**
   * @param sizeMax sum of the sizes given to `set`; the unit is the caller's (bytes, rows)
   * @param forgotten is told what had to go for something newer
   */
  constructor(entriesMax: number, sizeMax = Number.POSITIVE_INFINITY, forgotten: (value: V) => void = () => {}) {
    this.#entriesMax = entriesMax;
    this.#sizeMax = sizeMax;
    this.#forgotten = forgotten;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Looking is no use: the entry grows no younger by it. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: K, value: V, size = 0): void {
    this.delete(key);
    if (size > this.#sizeMax) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const [oldest, { value: forgotten }] of this.#entries) {
      if (this.#entries.size <= this.#entriesMax && this.#size <= this.#sizeMax) break;
      this.delete(oldest);
      this.#forgotten(forgotten);
    }
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#size -= entry.size;
    return this.#entries.delete(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get count(): number {
    return this.#entries.size;
  }

  get size(): number {
    return this.#size;
  }

  values(): V[] {
    return [...this.#entries.values()].map((entry) => entry.value);
  }
}
