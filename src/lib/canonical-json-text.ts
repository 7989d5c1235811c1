/**
 * JSON text → value without loss (PI-3): integers keep their exact digits, a doubled member name is an error instead
 * of a silent choice. For documents whose identity is asked for; `JSON.parse` rounds 9223372036854775807.
 */
import { DEPTH_MAX, INTEGER_DIGITS_MAX, NumberText } from "./canonical-json.ts";
import { HoldfastError } from "./error.ts";
import { type PathStep, toPointer } from "./json-pointer.ts";

/**
 * Integers beyond 2^53 − 1 become `bigint`, other numbers that a JavaScript number would misstate a `NumberText`.
 * @param bytes UTF-8
 * @throws HoldfastError `invalid_json` with `details.line` and `details.column` (1-based), or `not_canonical` with `details.path`
 */
export function parseJsonText(bytes: Uint8Array | string): unknown {
  const reader = new JsonTextReader(typeof bytes === "string" ? bytes : decodeUtf8(bytes));
  return reader.readDocument();
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** Digits that a double can be told apart by. More of them would be rounded away. */
const DOUBLE_DIGITS_MAX = 17;

class JsonTextReader {
  readonly #text: string;
  #at = 0;
  readonly #steps: PathStep[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): unknown {
    this.#skipSpace();
    const value = this.#readValue();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("text behind the end of the document");
    return value;
  }

  #readValue(): unknown {
    if (this.#steps.length > DEPTH_MAX) this.#refuse(`more than ${DEPTH_MAX} levels`);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#readObject();
      case "[":
        return this.#readArray();
      case '"':
        return this.#readString();
      case "t":
        return this.#readWord("true", true);
      case "f":
        return this.#readWord("false", false);
      case "n":
        return this.#readWord("null", null);
      default:
        return this.#readNumber();
    }
  }

  #readObject(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#at++;
    this.#skipSpace();
    if (this.#take("}")) return object;
    do {
      this.#skipSpace();
      const name = this.#readString();
      this.#steps.push(name);
      if (Object.hasOwn(object, name)) this.#refuse("a member name that stands twice in its object");
      this.#skipSpace();
      this.#expect(":");
      this.#skipSpace();
      const value = this.#readValue();
      // Plain assignment to `__proto__` would change the object's prototype and lose the member.
      if (name === "__proto__")
        Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
      else object[name] = value;
      this.#steps.pop();
      this.#skipSpace();
    } while (this.#take(","));
    this.#expect("}");
    return object;
  }

  #readArray(): unknown[] {
    const array: unknown[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#take("]")) return array;
    do {
      this.#skipSpace();
      this.#steps.push(array.length);
      array.push(this.#readValue());
      this.#steps.pop();
      this.#skipSpace();
    } while (this.#take(","));
    this.#expect("]");
    return array;
  }

  #readString(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') return this.#fail("no string");
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    try {
      const string = JSON.parse(this.#text.slice(start, end + 1)) as string;
      this.#at = end + 1;
      return string;
    } catch {
      // Expected: a raw control character, an unknown escape, or no closing quote.
      return this.#fail("a broken string");
    }
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("no JSON value");
    this.#at += word.length;
    return value;
  }

  #readNumber(): number | bigint | NumberText {
    const lexeme = this.#match(NUMBER);
    if (lexeme === undefined || lexeme === "") {
      return this.#fail(this.#at < this.#text.length ? "no value" : "the end of the text");
    }
    const number = exactNumber(lexeme);
    return typeof number === "string" ? this.#refuse(number) : number;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) this.#fail(`something else than ${character}`);
  }

  #refuse(reason: string): never {
    const path = toPointer(this.#steps);
    const message = `${path === "" ? "the document" : path} has no canonical form: it holds ${reason}`;
    throw new HoldfastError("not_canonical", message, { details: { path, reason } });
  }

  #fail(found: string): never {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    throw new HoldfastError("invalid_json", `line ${line}, column ${column}: not JSON, found ${found}`, {
      details: { line, column },
    });
  }
}

/** The number that a lexeme states, or why it has no canonical form. */
function exactNumber(lexeme: string): number | bigint | NumberText | string {
  const value = Number(lexeme);
  if (Object.is(value, -0)) return "-0";
  if (/^-?[0-9]+$/.test(lexeme)) {
    if (Number.isSafeInteger(value)) return value;
    const digits = lexeme.replace("-", "").length;
    return digits > INTEGER_DIGITS_MAX
      ? `an integer of ${digits} digits (limit ${INTEGER_DIGITS_MAX})`
      : BigInt(lexeme);
  }
  const digits = significantDigits(lexeme);
  if (digits.length > DOUBLE_DIGITS_MAX)
    return `a number of ${digits.length} significant digits (limit ${DOUBLE_DIGITS_MAX})`;
  if (!Number.isFinite(value) || (value === 0 && digits !== ""))
    return `the number ${lexeme}, which a double cannot hold`;
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  // An integer in another spelling, beyond 2^53: 1e21 is exact, 9007199254740993.0 would lose its last digit.
  if (significantDigits(String(value)) !== digits) return `the integer ${lexeme}, which a double would round`;
  return new NumberText(String(value));
}

/** The digits of a number's mantissa between its first and its last non-zero digit. */
function significantDigits(lexeme: string): string {
  return lexeme
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "")
    .replace(/0+$/, "");
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // A document that is not UTF-8 is an expected input of the command line.
    throw new HoldfastError("invalid_json", "line 1, column 1: the document is not UTF-8", {
      details: { line: 1, column: 1 },
    });
  }
}
