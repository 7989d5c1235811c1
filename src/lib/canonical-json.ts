/**
 * Canonical bytes of a value: what every hash of our own values is taken over (PI-1…PI-6). JSON with the members of
 * every object sorted by code point, no spaces, non-ASCII characters as they are, UTF-8.
 *
 * The text is emitted directly. Sorting an object and stringifying it would not do: integer-like names jump to the
 * front of every JavaScript object.
 */
import { compareCodePoints } from "./code-point-order.ts";
import { HoldfastError } from "./error.ts";
import { JsonHash } from "./json-hash.ts";
import { type PathStep, toPointer } from "./json-pointer.ts";
import { JSON_DEPTH_MAX } from "./json-spans.ts";
import type { Sha256 } from "./sha256.ts";

/**
 * The canonical text of a plain JSON value. A `Set` is an array sorted by the canonical text of its elements, a `Map`
 * with string keys is an object, a member that is `undefined` is absent.
 * @throws HoldfastError `not_canonical` with `details.path` (JSON pointer) and `details.reason` for everything that has
 * no canonical form: it is never rounded, replaced or left out
 */
export function canonicalJson(value: unknown): string {
  const writer = new CanonicalWriter(undefined);
  writer.write(value, 0);
  return writer.text;
}

/** The canonical text as UTF-8. @throws HoldfastError as `canonicalJson` */
export function canonicalBytes(value: unknown): Uint8Array {
  return Buffer.from(canonicalJson(value), "utf8");
}

/**
 * SHA-256 of the canonical bytes, which are hashed in pieces and never held whole.
 * @param domain is hashed in front of them, as it is
 * @throws HoldfastError as `canonicalJson`
 */
export function canonicalSha256(value: unknown, domain = ""): Sha256 {
  const hash = new JsonHash();
  const writer = new CanonicalWriter(hash);
  writer.text = domain;
  writer.write(value, 0);
  return hash.finish(writer.text);
}

/** A number with its canonical spelling, for one that a JavaScript number cannot hold exactly. Made by `parseJsonText`. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Longer integers are refused: nothing that people count needs them, and converting them is quadratic. */
export const INTEGER_DIGITS_MAX = 400;

/** Short pieces are joined to this length before they are hashed: each step costs more than its bytes do. */
const PIECE_CHARS = 256;

/** Member names come again and again. The limits keep documents that use names as data from growing the process. */
const nameTexts = new Map<string, string>();
const NAME_TEXTS_MAX = 2048;
const NAME_CHARS_MAX = 64;

/** Short texts that JSON quotes as they are: most ids, kinds and names. Looking is cheaper than `JSON.stringify`. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;
const PLAIN_CHARS_MAX = 64;

class CanonicalWriter {
  text = "";
  readonly #hash: JsonHash | undefined;
  /** The path to the value that is being written: `#steps[depth]` leads from that depth to the next. */
  readonly #steps: PathStep[] = [];

  /** @param hash takes the text as it grows, so that `text` holds only what it has not taken yet */
  constructor(hash: JsonHash | undefined) {
    this.#hash = hash;
  }

  write(value: unknown, depth: number): void {
    // Recursion must end before the stack does, and what is written can be read again.
    if (depth > JSON_DEPTH_MAX) this.#refuse(depth, `more than ${JSON_DEPTH_MAX} levels, or a circle`);
    switch (typeof value) {
      case "string":
        this.#writeString(value, depth);
        return;
      case "number":
        this.#emit(this.#numberText(value, depth));
        return;
      case "boolean":
        this.#emit(value ? "true" : "false");
        return;
      case "bigint":
        this.#emit(this.#bigintText(value, depth));
        return;
      case "object":
        if (value === null) this.#emit("null");
        else this.#writeObject(value, depth);
        return;
      default:
        this.#refuse(depth, `a value of type ${typeof value}`);
    }
  }

  #writeObject(value: object, depth: number): void {
    if (Array.isArray(value)) this.#writeArray(value, depth);
    else if (isPlainObject(value)) this.#writeMembers(value as Record<string, unknown>, depth);
    else if (value instanceof Set) this.#writeSet(value, depth);
    else if (value instanceof Map) this.#writeMap(value, depth);
    else if (value instanceof NumberText) this.#emit(value.text);
    else this.#refuse(depth, `an object of class ${value.constructor?.name ?? "without a name"}`);
  }

  #writeArray(array: readonly unknown[], depth: number): void {
    this.#emit("[");
    for (let i = 0; i < array.length; i++) {
      if (i > 0) this.#emit(",");
      this.#steps[depth] = i;
      this.write(array[i], depth + 1);
    }
    this.#emit("]");
  }

  #writeMembers(object: Readonly<Record<string, unknown>>, depth: number): void {
    const names = sortNames(Object.keys(object));
    let opening = "{";
    for (const name of names) {
      const member = object[name];
      if (member === undefined) continue;
      this.#writeName(opening, name, depth);
      this.write(member, depth + 1);
      opening = ",";
    }
    this.#emit(opening === "{" ? "{}" : "}");
  }

  #writeMap(map: ReadonlyMap<unknown, unknown>, depth: number): void {
    const names: string[] = [];
    for (const name of map.keys()) {
      if (typeof name !== "string") this.#refuse(depth, `a Map with a key of type ${typeof name}`);
      names.push(name as string);
    }
    let opening = "{";
    for (const name of sortNames(names)) {
      const member = map.get(name);
      if (member === undefined) continue;
      this.#writeName(opening, name, depth);
      this.write(member, depth + 1);
      opening = ",";
    }
    this.#emit(opening === "{" ? "{}" : "}");
  }

  #writeSet(set: ReadonlySet<unknown>, depth: number): void {
    const texts: string[] = [];
    for (const element of set) {
      const writer = new CanonicalWriter(undefined);
      for (let i = 0; i < depth; i++) writer.#steps[i] = this.#steps[i]!;
      writer.#steps[depth] = texts.length;
      writer.write(element, depth + 1);
      texts.push(writer.text);
    }
    sortNames(texts);
    for (let i = 1; i < texts.length; i++) {
      if (texts[i] === texts[i - 1]) this.#refuse(depth, "a Set with two elements of the same canonical form");
    }
    this.#emit(`[${texts.join(",")}]`);
  }

  #writeName(opening: string, name: string, depth: number): void {
    this.#steps[depth] = name;
    let text = nameTexts.get(name);
    if (text === undefined) {
      if (!name.isWellFormed()) this.#refuse(depth + 1, "a lone surrogate in the member's name");
      text = `${JSON.stringify(name)}:`;
      rememberNameText(name, text);
    }
    this.#emit(opening + text);
  }

  #writeString(value: string, depth: number): void {
    if (value.length <= PLAIN_CHARS_MAX && PLAIN_TEXT.test(value)) {
      this.#emit(`"${value}"`);
      return;
    }
    if (!value.isWellFormed()) this.#refuse(depth, "a lone surrogate, which UTF-8 cannot hold");
    if (this.#hash === undefined || value.length < PIECE_CHARS) {
      this.#emit(JSON.stringify(value));
      return;
    }
    this.#hash.add(this.text);
    this.#hash.addString(value);
    this.text = "";
  }

  #numberText(value: number, depth: number): string {
    if (!Number.isFinite(value)) this.#refuse(depth, String(value));
    if (Object.is(value, -0)) this.#refuse(depth, "-0");
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#refuse(depth, `the integer ${value}, which a JavaScript number may have rounded (use a bigint)`);
    }
    return String(value);
  }

  #bigintText(value: bigint, depth: number): string {
    const text = String(value);
    const digits = text.length - (value < 0n ? 1 : 0);
    if (digits > INTEGER_DIGITS_MAX)
      this.#refuse(depth, `an integer of ${digits} digits (limit ${INTEGER_DIGITS_MAX})`);
    return text;
  }

  #emit(piece: string): void {
    this.text += piece;
    if (this.#hash === undefined || this.text.length < PIECE_CHARS) return;
    this.#hash.add(this.text);
    this.text = "";
  }

  #refuse(depth: number, reason: string): never {
    throw notCanonical(this.#steps.slice(0, depth), reason);
  }
}

/** @param reason what the value at `steps` holds that has no canonical form */
export function notCanonical(steps: readonly PathStep[], reason: string): HoldfastError {
  const path = toPointer(steps);
  const message = `${path === "" ? "the document" : path} has no canonical form: it holds ${reason}`;
  return new HoldfastError("not_canonical", message, { details: { path, reason } });
}

function rememberNameText(name: string, text: string): void {
  if (name.length > NAME_CHARS_MAX) return;
  if (nameTexts.size >= NAME_TEXTS_MAX) nameTexts.clear();
  nameTexts.set(name, text);
}

/** Also true for objects of another realm; false for instances of any class, whose hidden state would be lost. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Larger lists are left to the general sort, whose cost per name does not grow with the list. */
const INSERTION_MAX = 16;

/** Sorts in place. Most objects are small or nearly in order, where inserting costs a fraction of the general sort. */
function sortNames(names: string[]): string[] {
  if (names.length > INSERTION_MAX) return names.sort(compareCodePoints);
  for (let i = 1; i < names.length; i++) {
    const name = names[i]!;
    let at = i;
    for (; at > 0 && compareCodePoints(names[at - 1]!, name) > 0; at--) names[at] = names[at - 1]!;
    names[at] = name;
  }
  return names;
}
