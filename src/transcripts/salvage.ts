import type { JsonObject } from "./json-value.ts";

/**
 * Gets whole records out of a line that is not one record: two glued together, or a cut one with a whole one behind it.
 */

export type Piece =
  | { readonly kind: "record"; readonly value: JsonObject; readonly text: string }
  | { readonly kind: "fragment"; readonly text: string };

/** A line with more possible starts than this is noise; what lies behind stays a fragment. */
const startsMax = 4096;
/** Every failed start may read to the end of the line; this bounds the work on a hostile one. */
const charsMax = 256 * 1024 * 1024;

/**
 * The records and the fragments of `text`, in order.
 * @param firstKeys names that records of this file begin with
 * @param isRecord tells a record from an object inside one
 */
export function salvage(
  text: string,
  firstKeys: Iterable<string>,
  isRecord: (value: JsonObject) => boolean,
): readonly Piece[] {
  const pieces: Piece[] = [];
  const start = startPattern(firstKeys);
  let done = 0;
  let charsRead = 0;
  for (let tries = 0; tries < startsMax && charsRead < charsMax; tries++) {
    const at = start.exec(text)?.index;
    if (at === undefined) break;
    const end = endOfObject(text, at);
    charsRead += (end ?? text.length) - at;
    const candidate = end === undefined ? undefined : text.slice(at, end);
    const value = candidate === undefined ? undefined : parseObject(candidate);
    if (value === undefined || candidate === undefined || !isRecord(value)) {
      start.lastIndex = at + 1;
      continue;
    }
    pushFragment(pieces, text.slice(done, at));
    pieces.push({ kind: "record", value, text: candidate });
    done = at + candidate.length;
    start.lastIndex = done;
  }
  pushFragment(pieces, text.slice(done));
  return pieces;
}

function startPattern(firstKeys: Iterable<string>): RegExp {
  const names = [...firstKeys].map((key) => key.replaceAll(/[^\w-]/g, "\\$&"));
  return new RegExp(`\\{\\s*"(?:${names.join("|")})"`, "g");
}

/** The offset behind the `}` that closes the object at `start`, or undefined where it stays open. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b) depth += 1;
    else if (unit === 0x7d) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return undefined;
}

function pushFragment(pieces: Piece[], text: string): void {
  if (/[^\s\0,]/.test(text)) pieces.push({ kind: "fragment", text });
}

/** The object that `text` is the JSON of, or undefined. */
export function parseObject(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Expected: damaged lines are what this reader is for.
    return undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** Raw control bytes inside strings become escapes: that is what their writer should have written. */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\u0000-\u001f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
