/**
 * Filler for everything in a body that could be somebody's. A word becomes another of the same length and characters, the
 * same one wherever it stands, so that ids still match, equal texts stay equal and a moved clock still looks like one.
 * White space, punctuation, control characters and broken surrogates say nothing and stay.
 */
import { createHash, randomBytes } from "node:crypto";
import { type Alphabet, alphabetsOf, digitsBehind } from "./filler-alphabet.ts";
import { isCalendarWord, isModelWord, isProtocolWord } from "./vocabulary.ts";

export class Filler {
  readonly #key: Uint8Array;
  readonly #fillers = new Map<string, string>();
  readonly #used = new Set<string>();

  /** @param key nobody who has only the filler can check a guess without it; it is never stored */
  constructor(key: Uint8Array = randomBytes(32)) {
    this.#key = key;
  }

  text(text: string): string {
    return text.replace(TOKEN, (token: string, kept: string | undefined) =>
      kept !== undefined || isCalendarWord(token) ? token : this.#word(token),
    );
  }

  /** A member name of the protocol, or a value of one of its closed lists. */
  name(text: string): string {
    return this.#textWith(text, isProtocolWord);
  }

  /** A model's public words and its version stay, because rules speak of families of models. */
  model(text: string): string {
    return this.#textWith(text, isModelWord);
  }

  /** A JSON number of the same spelling: sign, zeros at its ends and exponent stay. */
  number(lexeme: string): string {
    const [, sign = "", whole = "0", fraction = "", zeros = "", exponent = ""] = NUMBER.exec(lexeme) ?? [];
    const filledWhole = whole === "0" ? whole : this.#fill(`#${whole}`, digitsBehind("#", whole)).slice(1);
    const filledFraction = fraction === "" ? "" : this.#fill(`.${fraction}`, digitsBehind(".", fraction)).slice(1);
    const point = lexeme.includes(".") ? "." : "";
    return `${sign}${filledWhole}${point}${filledFraction}${zeros}${exponent}`;
  }

  #textWith(text: string, isKept: (word: string) => boolean): string {
    // Numbers are kept beside words that are known, as in `web_search_20250305`; alone they could be anybody's.
    if (!NAME.test(text) || !(text.match(NAME_TOKEN) ?? []).some(isKept)) return this.text(text);
    return text.replace(NAME_TOKEN, (token) => (isKept(token) || /^\d{1,8}$/.test(token) ? token : this.text(token)));
  }

  #word(word: string): string {
    // Base64 of a file is one word of millions of characters.
    if (word.length > LONG_WORD && /^[A-Za-z0-9]+$/.test(word))
      return word.replace(PIECE, (piece) => this.#word(piece));
    return this.#fill(word, alphabetsOf(word));
  }

  /** Different words stay different: from a filler that is taken the next free one is counted on, like an odometer. */
  #fill(word: string, alphabets: readonly Alphabet[]): string {
    const known = this.#fillers.get(word);
    if (known !== undefined) return known;
    const places = this.#draw(word, alphabets);
    let filler = spell(places, alphabets);
    for (let tries = 0; tries < TRIES_MAX && !this.#isFree(filler, word); tries++) {
      advance(places, alphabets);
      filler = spell(places, alphabets);
    }
    this.#fillers.set(word, filler);
    this.#used.add(filler);
    return filler;
  }

  /** A single letter or digit may be the last that is free for itself. */
  #isFree(filler: string, word: string): boolean {
    return !this.#used.has(filler) && !isProtocolWord(filler) && (filler !== word || /^[#.]?.$/.test(word));
  }

  #draw(word: string, alphabets: readonly Alphabet[]): number[] {
    const hash = createHash("shake256", { outputLength: alphabets.length * 2 });
    const bytes = hash.update(this.#key).update(JSON.stringify(word)).digest();
    return alphabets.map((alphabet, index) => bytes.readUInt16BE(index * 2) % alphabet.length);
  }
}

const LONG_WORD = 256;
const PIECE = /.{1,256}/g;

/** All numbers of four digits in one body find a filler; beyond that two words may share one, and none is shown. */
const TRIES_MAX = 10_000;

function spell(places: readonly number[], alphabets: readonly Alphabet[]): string {
  let word = "";
  for (const [index, place] of places.entries()) word += String.fromCodePoint(alphabets[index]![place]!);
  return word;
}

function advance(places: number[], alphabets: readonly Alphabet[]): void {
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = (places[index]! + 1) % alphabets[index]!.length;
    if (places[index] !== 0) return;
  }
}

const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";

/** What rules and causes know by its words: a line that one host writes, headings of a git report, months of a date, id prefixes. */
const KEPT = [
  "^x-anthropic-billing-header:",
  "\\b(?:[Gg]it ?[Ss]tatus|[Cc]urrent [Bb]ranch|[Rr]ecent [Cc]ommits|[Gg]it [Bb]ranch)\\b",
  `\\b${MONTH}\\b(?=\\.?\\s\\d)`,
  `(?<=\\d(?:st|nd|rd|th)?\\.?\\s(?:of\\s)?)${MONTH}\\b`,
  "\\b(?:toolu|srvtoolu|mcptoolu|call|fc|ctc|rs|msg|resp|chatcmpl)(?=_)",
].join("|");
const UUID = "\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b";
/** Spaces, controls, joiners and halves of surrogate pairs are no part of a word. */
const WORD =
  "(?:[A-Za-z0-9]|(?!\\s)[^\\u0000-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufff0-\\uffff])+";
const TOKEN = new RegExp(`(${KEPT})|${UUID}|${WORD}`, "gu");

/** What protocols make names of: no white space, no other alphabets. */
const NAME = /^[\w.:;=@$/+-]{1,200}$/;

/** `input_schema`, `toolUseId`, `web_search_20250305` as their words and numbers. */
const NAME_TOKEN = new RegExp(`[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\\d+|${WORD}`, "gu");

/** Zeros at the end of a fraction are apart: 1.50 and 1.5 are one value. */
const NUMBER = /^(-?)(\d+)(?:\.(\d*?)(0*))?([eE][+-]?\d+)?$/;
