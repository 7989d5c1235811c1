/**
 * A map from an id to a small number, in typed arrays: a session file can hold millions of rows, and a `Map` of strings
 * costs ten times the memory. Only a 53-bit hash of the id is kept; with two million ids the chance that any two meet is
 * about one in five thousand, and the harm is one count that is off by one.
 */
export class IdTable {
  #keys = new Float64Array(256);
  #values = new Int32Array(256);
  #count = 0;

  get(id: string): number | undefined {
    const slot = this.#slotOf(hashOf(id));
    return this.#keys[slot] === 0 ? undefined : this.#values[slot];
  }

  /** Sets the value of an id and returns the one it had. */
  set(id: string, value: number): number | undefined {
    if (this.#count * 2 >= this.#keys.length) this.#grow();
    const key = hashOf(id);
    const slot = this.#slotOf(key);
    const isNew = this.#keys[slot] === 0;
    const before = isNew ? undefined : this.#values[slot];
    if (isNew) this.#count += 1;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    return before;
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = key % this.#keys.length;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Float64Array(keys.length * 2);
    this.#values = new Int32Array(keys.length * 2);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue;
      const slot = this.#slotOf(keys[i]!);
      this.#keys[slot] = keys[i]!;
      this.#values[slot] = values[i]!;
    }
  }
}

/** A 53-bit hash of a string, never 0. Not for identity across machines: it only finds rows again inside one scan. */
export function hashOf(text: string): number {
  let a = 0x9e3779b9;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca77);
    b = Math.imul(b ^ unit, 0xc2b2ae3d);
  }
  a = Math.imul(a ^ (a >>> 16), 0x735a2d97) ^ b;
  b = Math.imul(b ^ (b >>> 15), 0xcaf649a9) ^ a;
  return (b & 0x1fffff) * 0x100000000 + (a >>> 0) + 1;
}
