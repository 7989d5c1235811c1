/**
 * Where every value of a JSON text stands in its bytes, in one pass. `JSON.parse` gives the values faster; this gives
 * the places, for splices, for messages with a line and column, and for members that `JSON.parse` hides (a name twice).
 */
import { isUtf8 } from "node:buffer";
import { parsePointer } from "./json-pointer.ts";

export type JsonNode = JsonObjectNode | JsonArrayNode | JsonLeafNode;

export interface JsonObjectNode {
  readonly kind: "object";
  readonly start: number;
  readonly end: number;
  readonly members: readonly JsonMember[];
}

export interface JsonArrayNode {
  readonly kind: "array";
  readonly start: number;
  readonly end: number;
  readonly items: readonly JsonNode[];
}

export interface JsonLeafNode {
  readonly kind: "string" | "number" | "literal";
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  readonly name: string;
  /** Offset of the quote that opens the name. */
  readonly start: number;
  readonly value: JsonNode;
}

export interface JsonSyntaxFault {
  readonly kind: "syntax-fault";
  readonly offset: number;
  readonly message: string;
}

/** Deeper documents are not read: a recursive descent over outside data needs an end. Real requests stay below 40. */
export const JSON_DEPTH_MAX = 512;

/** The span tree of a strict JSON text (RFC 8259), or the first fault. Offsets are in bytes. Never throws. */
export function scanJson(bytes: Uint8Array): JsonNode | JsonSyntaxFault {
  if (!isUtf8(bytes)) return { kind: "syntax-fault", offset: firstInvalidUtf8(bytes), message: "not valid UTF-8" };
  const scanner = new Scanner(bytes);
  try {
    const root = scanner.value(0);
    scanner.space();
    if (scanner.at < bytes.length) scanner.fail("unexpected text behind the document");
    return root;
  } catch (fault) {
    if (fault instanceof ScanFault) return { kind: "syntax-fault", offset: fault.offset, message: fault.message };
    throw fault;
  }
}

export function isSyntaxFault(scan: JsonNode | JsonSyntaxFault): scan is JsonSyntaxFault {
  return scan.kind === "syntax-fault";
}

/** The node at `pointer`, or undefined. Of a doubled member name the last one counts, as in `JSON.parse`. */
export function nodeAt(root: JsonNode, pointer: string): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of parsePointer(pointer)) {
    if (node?.kind === "array") node = /^(0|[1-9]\d*)$/.test(step) ? node.items[Number(step)] : undefined;
    else if (node?.kind === "object") node = memberNamed(node, step)?.value;
    else return undefined;
  }
  return node;
}

export function memberNamed(node: JsonObjectNode, name: string): JsonMember | undefined {
  return node.members.findLast((member) => member.name === name);
}

/** Pointers of all objects in which a member name stands twice. */
export function doubledMembers(root: JsonNode): readonly JsonObjectNode[] {
  const found: JsonObjectNode[] = [];
  const open: JsonNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === "array") for (const item of node.items) open.push(item);
    if (node.kind !== "object") continue;
    if (new Set(node.members.map((member) => member.name)).size < node.members.length) found.push(node);
    for (const member of node.members) open.push(member.value);
  }
  return found;
}

/** One-based line and column (in bytes) of an offset, as editors count them. */
export function lineAndColumn(bytes: Uint8Array, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

class ScanFault extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

class Scanner {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #text: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth: number): JsonNode {
    if (depth > JSON_DEPTH_MAX) this.fail(`nested deeper than ${JSON_DEPTH_MAX} levels`);
    this.space();
    const first = this.#bytes[this.at];
    if (first === QUOTE) return this.string();
    if (first === 0x7b) return this.object(depth);
    if (first === 0x5b) return this.array(depth);
    if (first === 0x2d || (first !== undefined && first >= 0x30 && first <= 0x39)) return this.number();
    return this.literal();
  }

  object(depth: number): JsonObjectNode {
    const start = this.at++;
    const members: JsonMember[] = [];
    this.space();
    if (this.#bytes[this.at] !== 0x7d) {
      for (;;) {
        this.space();
        const nameStart = this.at;
        if (this.#bytes[nameStart] !== QUOTE) this.fail("expected a member name in double quotes");
        const escaped = this.skipString();
        const name = this.#text.toString("utf8", nameStart + 1, this.at - 1);
        this.space();
        if (this.#bytes[this.at] !== COLON) this.fail("expected ':' behind a member name");
        this.at += 1;
        const value = this.value(depth + 1);
        members.push({ name: escaped ? (JSON.parse(`"${name}"`) as string) : name, start: nameStart, value });
        this.space();
        if (this.#bytes[this.at] !== COMMA) break;
        this.at += 1;
      }
      if (this.#bytes[this.at] !== 0x7d) this.fail("expected ',' or '}'");
    }
    this.at += 1;
    return { kind: "object", start, end: this.at, members };
  }

  array(depth: number): JsonArrayNode {
    const start = this.at++;
    const items: JsonNode[] = [];
    this.space();
    if (this.#bytes[this.at] !== 0x5d) {
      for (;;) {
        items.push(this.value(depth + 1));
        this.space();
        if (this.#bytes[this.at] !== COMMA) break;
        this.at += 1;
      }
      if (this.#bytes[this.at] !== 0x5d) this.fail("expected ',' or ']'");
    }
    this.at += 1;
    return { kind: "array", start, end: this.at, items };
  }

  string(): JsonLeafNode {
    const start = this.at;
    this.skipString();
    return { kind: "string", start, end: this.at };
  }

  /** Leaves `at` behind the closing quote; says whether the string holds an escape. */
  skipString(): boolean {
    const bytes = this.#bytes;
    let escaped = false;
    let at = this.at + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        at = this.skipEscape(at);
      } else if (byte === undefined || byte < 0x20) {
        this.at = at;
        this.fail(byte === undefined ? "the text ends inside a string" : `raw control byte 0x${hex(byte)} in a string`);
      } else at += 1;
    }
    this.at = at + 1;
    return escaped;
  }

  skipEscape(at: number): number {
    const kind = this.#bytes[at + 1];
    if (kind !== undefined && ESCAPES.has(kind)) return at + 2;
    if (kind === 0x75 && /^[0-9a-fA-F]{4}$/.test(this.#text.toString("latin1", at + 2, at + 6))) return at + 6;
    this.at = at;
    return this.fail("unknown escape in a string");
  }

  number(): JsonLeafNode {
    const start = this.at;
    while (NUMBER_BYTES.has(this.#bytes[this.at] ?? 0)) this.at += 1;
    const lexeme = this.#text.toString("latin1", start, this.at);
    if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(lexeme)) {
      this.at = start;
      this.fail(`'${lexeme.slice(0, 40)}' is not a JSON number`);
    }
    return { kind: "number", start, end: this.at };
  }

  literal(): JsonLeafNode {
    const start = this.at;
    for (const word of ["true", "false", "null"]) {
      if (this.#text.toString("latin1", start, start + word.length) === word) {
        this.at += word.length;
        return { kind: "literal", start, end: this.at };
      }
    }
    return this.fail(start >= this.#bytes.length ? "the text ends where a value is expected" : "expected a JSON value");
  }

  space(): void {
    for (;;) {
      const byte = this.#bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.at += 1;
    }
  }

  fail(message: string): never {
    throw new ScanFault(this.at, message);
  }
}

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const NUMBER_BYTES = new Set(Buffer.from("+-.0123456789eE"));

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Only for a message, so the slow way is good enough: the first replacement character that is not in the bytes. */
function firstInvalidUtf8(bytes: Uint8Array): number {
  let offset = 0;
  for (const character of Buffer.from(bytes).toString("utf8")) {
    if (character === "\ufffd" && bytes[offset] !== 0xef) return offset;
    offset += Buffer.byteLength(character);
  }
  return offset;
}
