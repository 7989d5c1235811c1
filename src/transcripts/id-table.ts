/**
 * A map from an id to a small number, in typed arrays: a session file can hold millions of rows, and a `Map` of strings
 * costs ten times the memory. Only a 53-bit hash of the id is kept; with two million ids the chance that any two meet is
 * about one in five thousand, and the harm is one count that is off by one.
 */
export class IdTable {
  /** Key and value side by side, so that one look into memory finds both. A key of 0 is an empty slot. */
  #slots = new Float64Array(2 * 256);
  #mask = 255;
  #count = 0;

  get(id: string | number): number | undefined {
    const slot = this.#slotOf(typeof id === "number" ? id : hashOf(id));
    return this.#slots[slot] === 0 ? undefined : this.#slots[slot + 1];
  }

  /** Sets the value of an id, or of a hash made by `hashOf`, and returns the one it had. */
  set(id: string | number, value: number): number | undefined {
    // Two thirds full: fuller tables search long, emptier ones waste the memory this class is for.
    if (this.#count * 3 > this.#mask * 2) this.#grow();
    const key = typeof id === "number" ? id : hashOf(id);
    const slot = this.#slotOf(key);
    const isNew = this.#slots[slot] === 0;
    const before = isNew ? undefined : this.#slots[slot + 1];
    if (isNew) this.#count += 1;
    this.#slots[slot] = key;
    this.#slots[slot + 1] = value;
    return before;
  }

  #slotOf(key: number): number {
    let slot = (key >>> 0) & this.#mask;
    while (this.#slots[2 * slot] !== 0 && this.#slots[2 * slot] !== key) slot = (slot + 1) & this.#mask;
    return 2 * slot;
  }

  #grow(): void {
    const full = this.#slots;
    this.#slots = new Float64Array(full.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let i = 0; i < full.length; i += 2) {
      if (full[i] === 0) continue;
      const slot = this.#slotOf(full[i]!);
      this.#slots[slot] = full[i]!;
      this.#slots[slot + 1] = full[i + 1]!;
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
