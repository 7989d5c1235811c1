/**
 * Text that moves by itself: a clock, a run's id, the state of a git tree. Two texts are compared with every such piece
 * replaced by its kind; where nothing else differs, the kind that moved is the cause.
 */

export type VolatileKind = "clock" | "uuid" | "run_id" | "git" | "path" | "counter";

/**
 * The kind of the pieces that moved, or null where other words changed too. Of several kinds the first in the order of
 * `PIECES` is named, so a date beside a counter is a clock.
 */
export function recogniseVolatile(before: string, after: string): VolatileKind | null {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  if (Math.max(before.length, after.length) - start - end > CHANGED_TEXT_MAX) return null;
  if (describesGit(before, after, start, end)) return "git";
  if (namesFolder(before, after, start, end)) return "path";
  const was = maskPieces(widen(before, start, end));
  const is = maskPieces(widen(after, start, end));
  if (was.masked !== is.masked) return null;
  const moved = new Set(
    was.pieces.filter((piece, index) => piece.text !== is.pieces[index]?.text).map((piece) => piece.kind),
  );
  return PIECES.find(([kind]) => moved.has(kind))?.[0] ?? null;
}

/** A larger change is no clock; the search for pieces would only cost time. In characters. */
const CHANGED_TEXT_MAX = 64 * 1024;

/** The changed part with its whole lines, so that a piece of which only one digit moved is seen whole. */
function widen(text: string, start: number, end: number): string {
  const from = Math.max(text.lastIndexOf("\n", start - 1) + 1, start - LINE_MAX);
  const to = text.indexOf("\n", text.length - end);
  return text.slice(from, Math.min(to === -1 ? text.length : to, text.length - end + LINE_MAX));
}

/** Of a longer line only this many characters on each side of the change are looked at. */
const LINE_MAX = 256;

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\\.?";
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday)?\\b,?";
const ZONE = "(?:\\s?(?:Z\\b|UTC|GMT|[A-Z]{2,4}T\\b|[+-]\\d{2}:?\\d{2}|\\([A-Z][A-Za-z ]{1,40}\\)))*";
const TIME = `\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?:\\s?[AaPp]\\.?[Mm]\\b\\.?)?${ZONE}`;
const DATE = [
  "\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}",
  "\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}",
  `${MONTH}\\s\\d{1,2}(?:st|nd|rd|th)?\\b(?:,?\\s\\d{4}\\b)?`,
  `\\d{1,2}(?:st|nd|rd|th)?\\.?\\s(?:of\\s)?${MONTH}(?:,?\\s\\d{4}\\b)?`,
  `\\d{1,4}-${MONTH}-\\d{1,4}`,
  // Years, months and days as Chinese, Japanese and Korean write them.
  "\\d{4}[年년]\\s?\\d{1,2}[月월]\\s?\\d{1,2}[日일]",
].join("|");

/**
 * Longer shapes stand before those that are part of them. `clock` comes first: a timestamp also looks like a counter.
 * The counts in the patterns are bounded, so that no text makes the search slow.
 */
const PIECES: readonly (readonly [kind: VolatileKind, pattern: string])[] = [
  [
    "clock",
    [
      `(?:${WEEKDAY}\\s{0,2})?(?:${DATE})(?:(?:,?\\s|T|\\sat\\s)${TIME})?(?:\\s\\d{4}\\b)?`,
      "\\b\\d{8}T\\d{4,6}Z?\\b",
      "\\b20\\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:[_-]\\d{4,6})?\\b",
      "\\b\\d{1,4}\\s(?:second|minute|hour|day|week|month)s?\\sago\\b",
      `\\b${TIME}`,
      "\\b\\d{1,2}\\s?[AP]M\\b",
      `\\b${WEEKDAY}`,
      // Seconds, milliseconds or microseconds since 1970, from 2001 on.
      "\\b[12]\\d{9}(?:\\d{3}){0,2}\\b",
    ].join("|"),
  ],
  ["uuid", "\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b"],
  ["git", "\\b(?=[0-9a-f]{0,39}[0-9])(?=[0-9a-f]{0,39}[a-f])(?:[0-9a-f]{40}|[0-9a-f]{7,12})\\b"],
  // A word with digits in it behind a separator, as in `run_7f3Kq9`, or a long mixed word.
  [
    "run_id",
    "\\b[A-Za-z]{1,20}[_-](?=[A-Za-z0-9_-]{0,63}\\d)[A-Za-z0-9_-]{4,64}\\b|\\b(?=[A-Za-z]{0,63}\\d)(?=\\d{0,63}[A-Za-z])[A-Za-z0-9]{12,64}\\b",
  ],
  ["path", "(?:~|\\.{1,2}|[A-Za-z]:)?(?:[/\\\\][\\w.@+-]{1,255}){2,64}[/\\\\]?"],
  ["counter", "\\b\\d{1,15}(?:[.,]\\d{1,9}){0,4}"],
];

const ANY_PIECE = new RegExp(
  // Paths hold dates, ids and numbers, ids hold numbers: the widest shapes are tried first.
  ["uuid", "path", "clock", "git", "run_id", "counter"]
    .map((kind) => `(?<${kind}>${PIECES.find(([name]) => name === kind)?.[1]})`)
    .join("|"),
  "g",
);

interface Piece {
  readonly kind: VolatileKind;
  readonly text: string;
}

function maskPieces(text: string): { masked: string; pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  const masked = text.replace(ANY_PIECE, (piece, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const kind = PIECES.find(([name]) => groups[name] !== undefined)?.[0] ?? "counter";
    pieces.push({ kind, text: piece });
    return `\u0000${kind}\u0000`;
  });
  return { masked, pieces };
}

/** A git report has lines that come and go, so its words around the change say what it is, not a pattern of the change. */
function describesGit(before: string, after: string, start: number, end: number): boolean {
  const around = before.slice(Math.max(0, start - GIT_WORDS_WITHIN), start);
  const changed = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const sectionAt = around.search(/\b(?:git ?status|on branch|current branch|recent commits|git[ _]branch)\b/i);
  if (sectionAt === -1) return false;
  // A blank line and a heading end the report.
  if (/\n\s*\n\s*(?:#|<)/.test(around.slice(sectionAt))) return false;
  return changed.every((text) => text.length < GIT_TEXT_MAX);
}

/** The words of the line say that it is a folder: one with a space in it, or right below the root, has no shape of its own. */
function namesFolder(before: string, after: string, start: number, end: number): boolean {
  const lines = [before, after].map((text) => {
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = text.indexOf("\n", text.length - end);
    return text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  });
  return lines.every((line) => line.length <= LINE_MAX && FOLDER_LINE.test(line));
}

const FOLDER_LINE =
  /^[\s<*-]{0,16}(?:cwd|pwd|(?:(?:primary|current|project)\s)?(?:working\s|workspace\s|project\s|current\s)?(?:dir(?:ectory)?|folder|root)|workspace)\b[^\w~/\\]{1,8}(?:~|[A-Za-z]:)?[/\\][^\n]{0,240}$/i;

/** A report of a dirty tree is cut by its authors at about 2,000 characters. */
const GIT_WORDS_WITHIN = 2_000;
const GIT_TEXT_MAX = 4_000;

export function commonStart(before: string, after: string): number {
  const length = Math.min(before.length, after.length);
  let at = 0;
  while (at < length && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** Length of the equal end, not reaching into the first `start` characters of either text. */
export function commonEnd(before: string, after: string, start: number): number {
  const length = Math.min(before.length, after.length) - start;
  let at = 0;
  while (at < length && before.charCodeAt(before.length - 1 - at) === after.charCodeAt(after.length - 1 - at)) at += 1;
  return at;
}
