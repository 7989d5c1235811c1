/** Which characters may stand in the place of a character, so that everything that looks at shapes sees the same shape. */

/** Code points. */
export type Alphabet = readonly number[];

/** One alphabet for each character of `word`. */
export function alphabetsOf(word: string): readonly Alphabet[] {
  const isHex = UUID.test(word) || HEX.test(word);
  const isClock = CLOCK.test(word);
  const alphabets = Array.from(word, (character) => {
    if (isClock && !/\d/.test(character)) return only(character);
    return (isHex ? hexAlphabet(character) : undefined) ?? alphabetOf(character);
  });
  if (/^\d\d/.test(word)) alphabets[0] = firstDigits(word);
  return alphabets;
}

/** Digits of one part of a number, behind the mark that tells the parts apart; its first and last stay what they are, zero or not. */
export function digitsBehind(mark: string, digits: string): readonly Alphabet[] {
  const alphabets = Array.from(digits, (digit, index) => {
    if (index > 0 && index < digits.length - 1) return DIGITS;
    return digit === "0" ? only(digit) : NONZERO;
  });
  return [only(mark), ...alphabets];
}

/** Parts of a timestamp: `2026`, `14T09`, `53Z`, `3rd`, `5pm`. */
const CLOCK = /^\d+(?:T\d*)?Z?$|^\d{1,2}(?:st|nd|rd|th|am|pm|AM|PM)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
/** The name of a commit. */
const HEX = /^(?=.*\d)(?:[0-9a-f]{7,}|[0-9A-F]{7,})$/;

/** A number with a zero in front is no JSON: what is broken has to stay broken. */
function firstDigits(word: string): Alphabet {
  if (word.startsWith("0")) return only("0");
  if (!EPOCH_LENGTHS.has(word.length) || !/^\d+$/.test(word)) return NONZERO;
  return /^[12]/.test(word) ? EPOCH_DIGITS : OTHER_DIGITS;
}

/** Seconds, milliseconds and microseconds since 1970 begin with 1 or 2. */
const EPOCH_LENGTHS = new Set([10, 13, 16]);
const EPOCH_DIGITS = codes("12");
const OTHER_DIGITS = codes("3456789");

const DIGITS = codes("0123456789");
const NONZERO = codes("123456789");
const LOWER = codes("abcdefghijklmnopqrstuvwxyz");
const UPPER = codes("ABCDEFGHIJKLMNOPQRSTUVWXYZ");

function hexAlphabet(character: string): Alphabet | undefined {
  if (/[a-f]/.test(character)) return codes("abcdef");
  return /[A-F]/.test(character) ? codes("ABCDEF") : undefined;
}

function alphabetOf(character: string): Alphabet {
  const code = character.codePointAt(0)!;
  if (code < 0x80) {
    if (code >= 0x30 && code <= 0x39) return DIGITS;
    if (code >= 0x61 && code <= 0x7a) return LOWER;
    return code >= 0x41 && code <= 0x5a ? UPPER : only(character);
  }
  // As many bytes in UTF-8, so that sizes stay.
  if (code < 0x800) return TWO_BYTES;
  return code < 0x10000 ? THREE_BYTES : FOUR_BYTES;
}

const TWO_BYTES = codes("àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ");
const THREE_BYTES = range(0x4e00, 0x9fff);
const FOUR_BYTES = range(0x1f300, 0x1f5ff);

function only(character: string): Alphabet {
  return codes(character);
}

function codes(characters: string): Alphabet {
  return Array.from(characters, (character) => character.codePointAt(0)!);
}

function range(from: number, to: number): Alphabet {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
