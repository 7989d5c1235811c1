import type { JsonObject } from "./json-value.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";
import type { RowIndex } from "./row-index.ts";
import { escapeControls, type Piece, parseObject, salvage } from "./salvage.ts";
import { type DamageKind, RecordTally } from "./transcript.ts";

/** What the reader must know about one agent's rows. */
export interface RecordRules {
  /** Tells a row from an object inside a row. */
  isRecord(value: JsonObject): boolean;
  /** The row's own name, if it has one: a second row of this name is a duplicate. */
  identityOf(value: JsonObject, text: string): string | undefined;
}

export interface RawRecord {
  /** Number of the record in the row index. */
  readonly row: number;
  /** The line that the record begins on, from 1. */
  readonly line: number;
  readonly value: JsonObject;
  readonly text: string;
}

/** Names that rows of the known agents begin with; those of the file's own sound rows are added while reading. */
const firstKeysKnown = ["parentUuid", "type", "timestamp", "uuid", "isSidechain", "sessionId", "id"];
const firstKeysMax = 32;
/** A record broken by more raw newlines than this is given up: each further line costs another look. */
const joinedLinesMax = 2000;
const joinedCharsMax = 32 * 1024 * 1024;

type ReadRecord = Omit<RawRecord, "row">;

interface OpenPiece {
  readonly line: number;
  readonly lines: string[];
  readonly kind: DamageKind;
  chars: number;
}

/**
 * Reads a file of JSON lines as agents leave them: cut, glued, padded, broken or still growing. It reads on behind
 * every damage, hands each record over once, and counts what it did.
 */
export class RecordReader {
  readonly tally = new RecordTally();
  readonly #rules: RecordRules;
  readonly #visit: (record: RawRecord) => void;
  readonly #splitter = new LineSplitter((line) => this.#readLine(line));
  readonly #firstKeys = new Set(firstKeysKnown);
  readonly #rows: RowIndex;
  /** A piece that may go on behind a raw newline. */
  #open: OpenPiece | undefined;
  /** An editor that rewrote the file changed all line ends at once; the first one tells it. */
  #sawCrlf = false;

  constructor(rules: RecordRules, rows: RowIndex, visit: (record: RawRecord) => void) {
    this.#rules = rules;
    this.#rows = rows;
    this.#visit = visit;
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  /** Takes what stands behind the last newline. True where that is the beginning of a record. */
  endInput(): boolean {
    this.#splitter.end();
    return this.#open?.kind === "torn_tail";
  }

  /**
   * Settles the last piece.
   * @param growing someone is writing: an unfinished last line is no damage
   */
  close(growing: boolean): void {
    if (growing && this.#open?.kind === "torn_tail") {
      this.#open = undefined;
      this.tally.lines -= 1;
    }
    this.#giveUpOpen(undefined);
  }

  #readLine(line: Line): void {
    this.tally.lines += 1;
    if (line.oversized) {
      this.#lose(line.number, "oversized");
      return;
    }
    let { bytes } = line;
    if (line.number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    const crlf = line.ended && bytes.at(-1) === 0x0d;
    if (crlf) bytes = bytes.subarray(0, -1);
    if (bytes.length === 0) return;
    if (bytes[0] === 0 && bytes.every((byte) => byte === 0)) {
      this.#lose(line.number, "nul_run", bytes.length);
      return;
    }
    const text = bytes.toString("utf8");
    const value = parseObject(text);
    // Behind an open piece, an object that is no row is a line of the piece's own text.
    const sound = value !== undefined && (this.#open === undefined || this.#rules.isRecord(value));
    if (!sound) {
      this.#readDamaged(text, line);
      return;
    }
    this.#giveUpOpen(text);
    this.#learnStart(value);
    if (crlf && !this.#sawCrlf) this.tally.note({ line: line.number, kind: "crlf", recovered: true });
    this.#sawCrlf ||= crlf;
    this.#emit({ line: line.number, value, text }, "good");
  }

  #readDamaged(text: string, line: Line): void {
    const bare = text.replaceAll(/^\0+|\0+$/g, "");
    const padded = bare.length < text.length ? parseObject(bare) : undefined;
    if (padded !== undefined) {
      this.#giveUpOpen(bare);
      this.tally.note({ line: line.number, kind: "nul_pad", recovered: true, bytes: text.length - bare.length });
      this.#emit({ line: line.number, value: padded, text: bare }, "recovered");
      return;
    }
    if (this.#closeOpen(bare)) return;
    const nulBytes = text.length - text.replaceAll("\0", "").length;
    if (nulBytes > 0) this.tally.note({ line: line.number, kind: "nul_run", recovered: false, bytes: nulBytes });
    const found = bare.split(/\0+/).flatMap((part) => salvage(part, this.#firstKeys, (v) => this.#rules.isRecord(v)));
    const pieces = joinAround(found);
    const glued = pieces.some((piece) => piece.kind === "record");
    if (glued && nulBytes === 0) this.tally.note({ line: line.number, kind: "glued", recovered: true });
    for (const [index, piece] of pieces.entries()) {
      if (piece.kind === "record") {
        this.#giveUpOpen(piece.text);
        this.#emit({ line: line.number, value: piece.value, text: piece.text }, "recovered");
      } else if (index > 0 || !this.#closeOpen(piece.text)) {
        this.#keepOpen(piece.text, line, glued ? "glued" : nulBytes > 0 ? "nul_run" : undefined);
      }
    }
  }

  /** Joins `text` to the open piece: where a record was written with a raw newline in it, this makes it whole. */
  #closeOpen(text: string): boolean {
    const open = this.#open;
    if (open === undefined || !text.trimEnd().endsWith("}")) return false;
    const joined = escapeControls([...open.lines, text].join("\n"));
    const value = parseObject(joined);
    if (value === undefined) return false;
    this.#open = undefined;
    this.tally.note({ line: open.line, kind: "raw_newline", recovered: true });
    this.#emit({ line: open.line, value, text: joined }, "recovered");
    return true;
  }

  #keepOpen(text: string, line: Line, reported: DamageKind | undefined): void {
    const escaped = /[\u0000-\u001f]/.test(text) ? parseObject(escapeControls(text)) : undefined;
    if (escaped !== undefined) {
      this.#giveUpOpen(text);
      this.tally.note({ line: line.number, kind: "raw_control", recovered: true });
      this.#emit({ line: line.number, value: escaped, text }, "recovered");
      return;
    }
    const open = this.#open;
    const goesOn = open !== undefined && !this.#startsRecord(text);
    if (goesOn && open.lines.length < joinedLinesMax && open.chars < joinedCharsMax) {
      open.lines.push(text);
      open.chars += text.length;
      return;
    }
    this.#giveUpOpen(text);
    const kind = reported ?? (line.ended ? "torn_line" : "torn_tail");
    this.#open = { line: line.number, lines: [text], kind, chars: text.length };
  }

  #startsRecord(text: string): boolean {
    const key = /^\{\s*"([^"\\]*)"/.exec(text)?.[1];
    return key !== undefined && this.#firstKeys.has(key);
  }

  /** The open piece stays a piece. Nothing is lost where the next record is its full copy. */
  #giveUpOpen(next: string | undefined): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const repeated = next !== undefined && open.lines.length === 1 && repeats(next, open.lines[0]!);
    if (!repeated) this.tally.lost += 1;
    // A glued line and a NUL run have told of themselves already.
    if (open.kind !== "glued" && open.kind !== "nul_run") {
      this.tally.note({ line: open.line, kind: open.kind, recovered: repeated });
    }
  }

  #emit(record: ReadRecord, how: "good" | "recovered"): void {
    const { line, value, text } = record;
    const id = this.#rules.identityOf(value, text);
    const known = id === undefined ? undefined : this.#rows.charsOf(id);
    if (known === text.length) {
      this.tally.duplicates += 1;
      this.tally.note({ line, kind: "duplicate", recovered: true });
      return;
    }
    // Two rows of one name that differ: the later one counts, and the person is told.
    if (known !== undefined) this.tally.note({ line, kind: "conflict", recovered: true });
    this.tally[how] += 1;
    this.#visit({ row: this.#rows.add(id, text.length), line, value, text });
  }

  #lose(line: number, kind: DamageKind, bytes?: number): void {
    this.#giveUpOpen(undefined);
    this.tally.lost += 1;
    this.tally.note(bytes === undefined ? { line, kind, recovered: false } : { line, kind, recovered: false, bytes });
  }

  #learnStart(value: JsonObject): void {
    if (this.#firstKeys.size >= firstKeysMax) return;
    for (const key in value) {
      this.#firstKeys.add(key);
      return;
    }
  }
}

/** Two writers at once: one's record stands in the middle of the other's, whose halves are a record again. */
function joinAround(pieces: readonly Piece[]): readonly Piece[] {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (pieces.length < 3 || first?.kind !== "fragment" || last?.kind !== "fragment") return pieces;
  const text = first.text + last.text;
  const value = parseObject(text);
  return value === undefined ? pieces : [...pieces.slice(1, -1), { kind: "record", value, text }];
}

/** A writer that failed writes the record again, with a new time: the fragment is then a beginning of the full one. */
function repeats(full: string, fragment: string): boolean {
  const beginning = withoutTime(fragment);
  return beginning.length >= 24 && withoutTime(full.slice(0, fragment.length + 64)).startsWith(beginning);
}

function withoutTime(text: string): string {
  return text.replace(/"timestamp"\s*:\s*"[^"]*"?/, "");
}
