/**
 * JSON text → value without loss (PI-3): integers keep their exact digits, a doubled member name is an error instead
 * of a silent choice. For documents whose identity is asked for; `JSON.parse` rounds 9223372036854775807.
 */
import { INTEGER_DIGITS_MAX, NumberText, notCanonical } from "./canonical-json.ts";
import { HoldfastError } from "./error.ts";
import type { PathStep } from "./json-pointer.ts";
import {
  isSyntaxFault,
  type JsonArrayNode,
  type JsonNode,
  type JsonObjectNode,
  lineAndColumn,
  scanJson,
} from "./json-spans.ts";

/**
 * Integers beyond 2^53 − 1 become `bigint`, other numbers that a JavaScript number would misstate a `NumberText`.
 * @param bytes UTF-8
 * @param numbers `as-written`: every number is a `NumberText` with the spelling of the document, right or wrong
 * @throws HoldfastError `invalid_json` with `details.line` and `details.column` (from 1), which also begin the message,
 * or `not_canonical` with `details.path`
 */
export function parseJsonText(bytes: Uint8Array, numbers: "exact" | "as-written" = "exact"): unknown {
  const root = scanJson(bytes);
  if (isSyntaxFault(root)) {
    const { line, column } = lineAndColumn(bytes, root.offset);
    throw new HoldfastError("invalid_json", `${line}:${column}: ${root.message}`, { details: { line, column } });
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return toValue(root, { text, numbers, steps: [] });
}

interface Reading {
  readonly text: Buffer;
  readonly numbers: "exact" | "as-written";
  /** The path to the value that is being read. */
  readonly steps: PathStep[];
}

function toValue(node: JsonNode, reading: Reading): unknown {
  if (node.kind === "object") return toObject(node, reading);
  if (node.kind === "array") return toArray(node, reading);
  const lexeme = reading.text.toString("utf8", node.start, node.end);
  if (node.kind !== "number") return JSON.parse(lexeme);
  return reading.numbers === "exact" ? toExactNumber(lexeme, reading.steps) : new NumberText(lexeme);
}

function toObject(node: JsonObjectNode, reading: Reading): Record<string, unknown> {
  const { steps } = reading;
  const object: Record<string, unknown> = {};
  for (const { name, value: member } of node.members) {
    steps.push(name);
    if (Object.hasOwn(object, name)) throw notCanonical(steps, "a member name that stands twice in its object");
    const value = toValue(member, reading);
    // Plain assignment to `__proto__` would change the object's prototype and lose the member.
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    steps.pop();
  }
  return object;
}

function toArray(node: JsonArrayNode, reading: Reading): unknown[] {
  return node.items.map((item, index) => {
    reading.steps.push(index);
    const value = toValue(item, reading);
    reading.steps.pop();
    return value;
  });
}

/** Digits that a double can be told apart by. More of them would be rounded away. */
const DOUBLE_DIGITS_MAX = 17;

/**
 * The number that a JSON lexeme states.
 * @throws HoldfastError `not_canonical` where it has no canonical form
 */
export function toExactNumber(lexeme: string, steps: readonly PathStep[] = []): number | bigint | NumberText {
  const value = Number(lexeme);
  if (Object.is(value, -0)) throw notCanonical(steps, "-0");
  if (/^-?[0-9]+$/.test(lexeme)) return Number.isSafeInteger(value) ? value : toBigInt(lexeme, steps);
  const digits = significantDigits(lexeme);
  if (digits.length > DOUBLE_DIGITS_MAX) {
    throw notCanonical(steps, `a number of ${digits.length} significant digits (limit ${DOUBLE_DIGITS_MAX})`);
  }
  if (!Number.isFinite(value) || (value === 0 && digits !== "")) {
    throw notCanonical(steps, `the number ${lexeme}, which a double cannot hold`);
  }
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  // An integer beyond 2^53 in another spelling: 1e21 is exact, 9007199254740993.0 would lose its last digit.
  if (significantDigits(String(value)) !== digits) {
    throw notCanonical(steps, `the integer ${lexeme}, which a double would round`);
  }
  return new NumberText(String(value));
}

function toBigInt(lexeme: string, steps: readonly PathStep[]): bigint {
  const digits = lexeme.length - (lexeme.startsWith("-") ? 1 : 0);
  if (digits > INTEGER_DIGITS_MAX) {
    throw notCanonical(steps, `an integer of ${digits} digits (limit ${INTEGER_DIGITS_MAX})`);
  }
  return BigInt(lexeme);
}

/** The digits of a number's mantissa between its first and its last non-zero digit. */
function significantDigits(lexeme: string): string {
  return lexeme
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "")
    .replace(/0+$/, "");
}
