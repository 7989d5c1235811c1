/**
 * Whether jsonb can hold a document. An insert must never fail because of the index, so this refuses more than
 * PostgreSQL does: it is a question of finding an event with SQL, not of keeping it.
 */

/** Searching is for small facts; a plan or checkpoint of megabytes would double what is stored. */
const indexBytesMax = 64 * 1024;
/** PostgreSQL parses by recursion, and its stack is a setting of the server. */
const depthMax = 200;
/** Written as an escape in JSON: U+0000, which jsonb refuses, or half of a pair, which it refuses where the other half is missing. */
const refusedEscape = /\\u(0000|d[89a-f])/i;
/** The exponent of a numeric has a limit; four digits stay below it. */
const hugeExponent = /\d[eE][+-]?\d{5}/;

const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The document as text for jsonb, or null. */
export function toJsonIndex(data: Uint8Array): string | null {
  if (data.length > indexBytesMax) return null;
  try {
    const text = decoder.decode(data);
    if (refusedEscape.test(text) || hugeExponent.test(text) || isDeep(data)) return null;
    JSON.parse(text);
    return text;
  } catch {
    // Not UTF-8, or not JSON: bytes that only the caller understands.
    return null;
  }
}

/** Brackets in strings count too, which only refuses more. */
function isDeep(data: Uint8Array): boolean {
  let depth = 0;
  for (const byte of data) {
    if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}
