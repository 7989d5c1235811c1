/**
 * A map from an id to a 32-bit number, in typed arrays: a session file can hold millions of rows, and a `Map` of strings
 * costs ten times the memory. Only a 53-bit hash of the id is kept; with two million ids the chance that any two meet is
 * about one in five thousand, and the harm is one count that is off by one.
 */
export class IdTable {
  /** A key of 0 is an empty slot. */
  #keys = new Float64Array(256);
  #values = new Int32Array(256);
  #count = 0;

  get(id: string | number): number | undefined {
    const slot = this.#slotOf(toKey(id));
    return this.#keys[slot] === 0 ? undefined : this.#values[slot];
  }

  /** Sets the value of an id, or of a hash made by `hashOf`, and returns the one it had. */
  set(id: string | number, value: number): number | undefined {
    // Fuller tables search long, emptier ones waste the memory that this class is for.
    if (this.#count > this.#keys.length * 0.7) this.#grow();
    const key = toKey(id);
    const slot = this.#slotOf(key);
    const isNew = this.#keys[slot] === 0;
    const before = isNew ? undefined : this.#values[slot];
    if (isNew) this.#count += 1;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    return before;
  }

  #slotOf(key: number): number {
    const size = this.#keys.length;
    let slot = Math.floor(((key >>> 0) / 0x100000000) * size);
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = slot + 1 === size ? 0 : slot + 1;
    return slot;
  }

  /** By half, not by twice: for a moment the old and the new table are both there. */
  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const size = Math.ceil(keys.length * 1.5);
    this.#keys = new Float64Array(size);
    this.#values = new Int32Array(size);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === 0) continue;
      const slot = this.#slotOf(keys[i]!);
      this.#keys[slot] = keys[i]!;
      this.#values[slot] = values[i]!;
    }
  }
}

function toKey(id: string | number): number {
  return typeof id === "number" ? id : hashOf(id);
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
