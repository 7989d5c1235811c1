/**
 * Reads a body by what is new in it. The rows that the body before had are the same objects as there, so everything that
 * is remembered about a row (its blocks, digests, faults) holds, and the cost of a turn follows its tail.
 */
import { assert } from "../lib/assert.ts";
import { commonPrefixLength } from "../lib/common-prefix.ts";
import { grownList } from "../lib/grown-list.ts";
import { type ElementPlace, elementsOf, layoutOf } from "../lib/json-layout.ts";
import { isObject, type JsonObject } from "../wire/request.ts";

export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly value: JsonObject;
  /**
   * Null where the body is not of the usual form: what follows it is read as a whole. Absent until a body follows: many
   * requests are one of a kind.
   */
  outline?: Outline | null;
  /** Rows taken over from the body before, and the bytes that had to be parsed. */
  readonly reusedRows: number;
  readonly parsedBytes: number;
}

interface Outline {
  readonly rowsName: string;
  readonly rows: readonly ElementPlace[];
  /** Offset of the bracket that opens the rows, and of the first byte behind the one that closes them. */
  readonly rowsStart: number;
  readonly rowsEnd: number;
  /** Members in front of the rows and behind them. */
  readonly head: JsonObject;
  readonly tail: JsonObject;
}

const ROWS_NAMES = ["messages", "input", "contents"] as const;

/** The whole body. @param value what `JSON.parse` made of the bytes */
export function readWhole(bytes: Uint8Array, value: JsonObject): ReadBody {
  return { bytes, value, reusedRows: 0, parsedBytes: bytes.length };
}

/**
 * The body by its difference to an earlier one, or null where that does not pay or cannot be done safely.
 * @param shared bytes that both have in common from the start, where the caller knows already
 */
export function readByDifference(
  bytes: Uint8Array,
  before: ReadBody,
  shared = commonPrefixLength(bytes, before.bytes),
): ReadBody | null {
  if (before.outline === undefined) before.outline = outlineOf(before.bytes, before.value);
  const { outline } = before;
  if (outline === null) return null;
  const reused = rowsWithin(outline.rows, shared);
  if (reused === 0) return null;
  try {
    return readTail(bytes, before, outline, reused);
  } catch {
    // Expected: a new body that is cut or no JSON. The caller reads it as a whole and says where the fault is.
    return null;
  }
}

function outlineOf(bytes: Uint8Array, value: JsonObject): Outline | null {
  const rowsName = ROWS_NAMES.find((name) => Array.isArray(value[name]));
  if (rowsName === undefined) return null;
  const { members, elements } = layoutOf(bytes, rowsName);
  const names = members.map((member) => member.name);
  const at = names.indexOf(rowsName);
  // A name that stands twice means something else to each reader.
  if (new Set(names).size < names.length || elements.length !== (value[rowsName] as unknown[]).length) return null;
  const pick = (wanted: readonly string[]) => Object.fromEntries(wanted.map((name) => [name, value[name]]));
  return {
    rowsName,
    rows: elements,
    rowsStart: members[at]!.valueStart,
    rowsEnd: members[at]!.valueEnd,
    head: pick(names.slice(0, at)),
    tail: pick(names.slice(at + 1)),
  };
}

/** How many rows end inside the shared bytes. */
function rowsWithin(rows: readonly ElementPlace[], shared: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.end <= shared) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readTail(bytes: Uint8Array, before: ReadBody, outline: Outline, reused: number): ReadBody | null {
  const lastEnd = outline.rows[reused - 1]!.end;
  const bracket = behindComma(bytes, lastEnd);
  const fresh: ElementPlace[] = [];
  // Elements are looked for behind the last known one, as if an array opened there.
  const rowsEnd = elementsOf(bytes, bracket - 1, fresh);
  const sameTail = endsAlike(bytes, rowsEnd, before.bytes, outline.rowsEnd);
  const tail = sameTail ? outline.tail : tailMembers(bytes, rowsEnd, outline);
  if (tail === null) return null;
  const newRows = parse(`[${text(bytes, bracket, rowsEnd)}`) as unknown[];
  assert(newRows.length === fresh.length, "the rows of a tail are counted alike by both readers");
  const rows = grownList(before.value[outline.rowsName] as unknown[], reused, newRows);
  const places = grownList(outline.rows, reused, fresh);
  return {
    bytes,
    value: { ...outline.head, [outline.rowsName]: rows, ...tail },
    outline: { ...outline, rows: places, rowsEnd, tail },
    reusedRows: reused,
    parsedBytes: (sameTail ? rowsEnd : bytes.length) - bracket,
  };
}

/** Offset of what follows a row: behind its comma, or the closing bracket itself. */
function behindComma(bytes: Uint8Array, at: number): number {
  let next = at;
  while (bytes[next]! <= 0x20) next += 1;
  return bytes[next] === 0x2c ? next + 1 : next;
}

function endsAlike(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number): boolean {
  return a.length - aStart === b.length - bStart && Buffer.compare(a.subarray(aStart), b.subarray(bStart)) === 0;
}

/** Members behind the rows; null where one of them has a name that stood in front already. */
function tailMembers(bytes: Uint8Array, rowsEnd: number, outline: Outline): JsonObject | null {
  const rest = text(bytes, rowsEnd, bytes.length).trimStart();
  const wrapped = rest.startsWith(",") ? `{${rest.slice(1)}` : `{${rest}`;
  const members = parse(wrapped);
  if (!isObject(members)) return null;
  const { members: places } = layoutOf(Buffer.from(wrapped), outline.rowsName);
  const known = new Set([...Object.keys(outline.head), outline.rowsName]);
  const twice = places.length !== Object.keys(members).length || places.some(({ name }) => known.has(name));
  return twice ? null : members;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

function parse(json: string): unknown {
  return JSON.parse(json);
}
