/**
 * Receipts by content (DG-60): proof that a text of ours is in a request, wherever a host has put it, without keeping the
 * text. A receipt is a length and keyed hashes; it is looked for at the places where a host joins texts, the starts of
 * lines, so that the work follows the number of lines and not the number of receipts.
 */
import type { KeyedHash } from "../lib/keyed-hash.ts";

/** Content-free: whoever has no key learns the length only. */
export interface Receipt {
  /** Keyed hash of the whole text. */
  readonly id: string;
  readonly length: number;
  /** Two halves: a text of which one half is found alone has been rewritten. */
  readonly halves: readonly [Half, Half];
}

interface Half {
  readonly offset: number;
  /** Says quickly of most places that the half does not begin there. */
  readonly mark: number;
  readonly hash: string;
}

/** Shorter texts are found where nobody has put them. */
export const TEXT_CHARACTERS_MIN = 32;

/** Characters at the beginning of a half that are looked at first. */
const MARK_CHARACTERS = 8;

export class ReceiptMaker {
  readonly #hash: KeyedHash;
  readonly #seed: number;

  constructor(hash: KeyedHash) {
    this.#hash = hash;
    this.#seed = Number.parseInt(hash("receipt-mark", "").slice(0, 8), 16);
  }

  /** @returns null for a text that is too short to be found for certain */
  receiptOf(given: string): Receipt | null {
    const text = providerView(given);
    if (text.length < TEXT_CHARACTERS_MIN) return null;
    const middle = text.length >> 1;
    // Half a surrogate pair has no hash of its own.
    const offset = /[\udc00-\udfff]/.test(text[middle]!) ? middle + 1 : middle;
    const halves = [this.#halfOf(text, 0, offset), this.#halfOf(text, offset, text.length)] as const;
    return { id: this.hashOf(text), length: text.length, halves };
  }

  /** Typed and with its length, so that no text can stand for something else that is hashed. */
  hashOf(text: string): string {
    return this.#hash("receipt", `text:${text.length}:${text}`);
  }

  markAt(text: string, at: number): number {
    let mark = this.#seed;
    for (let end = at + MARK_CHARACTERS; at < end; at++) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193);
    return mark >>> 0;
  }

  /** For a store: a mark is no strong hash, so it is covered there. Once more gives the receipt back. */
  sealed(receipt: Receipt): Receipt {
    const cover = this.#hash("receipt-cover", receipt.id);
    const [first, second] = receipt.halves.map((half, nth): Half => {
      const bits = Number.parseInt(cover.slice(nth * 8, nth * 8 + 8), 16);
      return { ...half, mark: (half.mark ^ bits) >>> 0 };
    });
    return { ...receipt, halves: [first!, second!] };
  }

  #halfOf(text: string, offset: number, end: number): Half {
    return { offset, mark: this.markAt(text, offset), hash: this.hashOf(text.slice(offset, end)) };
  }
}

/** What every host leaves as it is: white space around a text and halves of surrogate pairs are not among it. */
function providerView(text: string): string {
  return text.trim().toWellFormed();
}

/** A text, or the half of one, that was found, and where. */
export interface Occurrence {
  readonly receipt: Receipt;
  readonly part: Part;
  readonly at: number;
  readonly end: number;
}

/** `whole`, or the index of a half. */
type Part = "whole" | 0 | 1;

interface Sought {
  readonly receipt: Receipt;
  readonly part: Part;
  readonly length: number;
  readonly hash: string;
  readonly mark: number;
  /** What repeats the beginning of a text costs no hash where a mark further in does not fit. */
  readonly second: Half | null;
}

/** A text that holds more than this is not searched to its end: each costs a hash. */
const MATCHES_MAX = 200;

/** Longer tags in front of a text are none of a host's. */
const TAG_CHARACTERS_MAX = 64;

/** A set of texts, searched for in one pass. */
export class ReceiptIndex {
  readonly #maker: ReceiptMaker;
  readonly #byMark = new Map<number, Sought[]>();
  /** The last bits of all marks: nearly every place is dismissed by it. */
  readonly #marks = new Uint8Array(0x10000);
  readonly #lengthMin: number;

  /** @param parts `halves` looks for what is left of rewritten texts */
  constructor(maker: ReceiptMaker, receipts: readonly Receipt[], parts: "whole" | "halves" = "whole") {
    const sought = receipts.flatMap(parts === "whole" ? wholeOf : halvesOf);
    this.#maker = maker;
    this.#lengthMin = sought.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
    for (const one of sought) {
      this.#byMark.set(one.mark, [...(this.#byMark.get(one.mark) ?? []), one]);
      this.#marks[one.mark & 0xffff] = 1;
    }
  }

  get isEmpty(): boolean {
    return this.#byMark.size === 0;
  }

  /** Where the text, one of its lines, or what follows a tag at the start of a line begins with one of ours. */
  find(text: string): readonly Occurrence[] {
    const last = text.length - this.#lengthMin;
    if (last < 0) return NONE;
    const matches = new Matches();
    for (let line = 0; line <= last && !matches.areFull; ) {
      this.#findAt(text, line, matches);
      if (text.charCodeAt(line) === LESS_THAN) {
        const tag = text.slice(line, line + TAG_CHARACTERS_MAX).indexOf(">");
        if (tag !== -1) this.#findAt(text, line + tag + 1, matches);
      }
      const end = text.indexOf("\n", line);
      if (end === -1) break;
      line = end + 1;
    }
    return matches.found;
  }

  /** At every place of the text: for what is missing where it is looked for first. */
  findAnywhere(text: string): readonly Occurrence[] {
    const last = text.length - this.#lengthMin;
    const matches = new Matches();
    for (let at = 0; at <= last && !matches.areFull; at++) this.#findAt(text, at, matches);
    return matches.found;
  }

  #findAt(text: string, at: number, matches: Matches): void {
    const mark = this.#maker.markAt(text, at);
    if (this.#marks[mark & 0xffff] === 0) return;
    for (const { receipt, part, length, hash, second } of this.#byMark.get(mark) ?? []) {
      const end = at + length;
      if (end > text.length) continue;
      if (second !== null && this.#maker.markAt(text, at + second.offset) !== second.mark) continue;
      matches.hashes += 1;
      if (this.#maker.hashOf(text.slice(at, end).toWellFormed()) === hash)
        matches.found.push({ receipt, part, at, end });
    }
  }
}

class Matches {
  readonly found: Occurrence[] = [];
  hashes = 0;

  get areFull(): boolean {
    return this.hashes >= MATCHES_MAX;
  }
}

const NONE: readonly Occurrence[] = [];
const LESS_THAN = 0x3c;

function wholeOf(receipt: Receipt): Sought[] {
  const { id, length, halves } = receipt;
  return [{ receipt, part: "whole", length, hash: id, mark: halves[0].mark, second: halves[1] }];
}

function halvesOf(receipt: Receipt): Sought[] {
  const [first, second] = receipt.halves;
  return [
    { receipt, part: 0, length: second.offset, hash: first.hash, mark: first.mark, second: null },
    { receipt, part: 1, length: receipt.length - second.offset, hash: second.hash, mark: second.mark, second: null },
  ];
}
