/** Words and colours for people (CL-2). Machine formats are built elsewhere and written as they are. */
import { stripVTControlCharacters, styleText } from "node:util";

/** What CL-2 promises for every terminal. */
const COLUMNS_MAX = 80;
/** Narrower lines would be a column of words. */
const COLUMNS_MIN = 24;
/** Beside a long name, shorter lines than this are hard to read. */
const WORDS_BESIDE_MIN = 24;

/** Tables and paragraphs fit this width: 80 columns, and less where the terminal has less. */
export const COLUMNS = fitColumns();

function fitColumns(): number {
  // The variable is what a shell says of its terminal, and what a person sets who wants narrow lines in a file.
  const told = Number(process.env.COLUMNS) || process.stdout.columns || COLUMNS_MAX;
  return Math.min(COLUMNS_MAX, Math.max(COLUMNS_MIN, told));
}

export type Style = Parameters<typeof styleText>[0];

/** Coloured only where stdout is a terminal; `NO_COLOR` and `FORCE_COLOR` are honoured by `styleText`. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function write(text: string | Uint8Array): void {
  process.stdout.write(text);
}

export function writeLine(text = ""): void {
  write(`${text}\n`);
}

export function writeJson(value: unknown): void {
  write(`${JSON.stringify(value, null, 1)}\n`);
}

/** One line on stderr, whatever the message holds. */
export function complain(message: string): void {
  process.stderr.write(`holdfast: ${message.replace(/\s*\n\s*/g, " ")}\n`);
}

/** One line for each message, as far as more lines say something new: a folder of ten thousand wrong files is one mistake. */
export function complainOfAll(messages: readonly string[], noun: string): void {
  for (const message of messages.slice(0, COMPLAINTS_MAX)) complain(message);
  if (messages.length > COMPLAINTS_MAX) complain(`and ${messages.length - COMPLAINTS_MAX} more ${noun}`);
}

const COMPLAINTS_MAX = 20;

/** `text` in lines of at most `COLUMNS` characters, words kept whole. `first` opens the first line, `indent` the others. */
export function wrap(text: string, indent = "", first = indent): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && measure(line) + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = indent + word;
    } else {
      line += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}

function measure(line: string): number {
  return stripVTControlCharacters(line).length;
}

/** A two-column list: names to the left, wrapped words beside them, or below them where there is no room. */
export function list(entries: readonly (readonly [name: string, about: string])[]): string {
  const left = Math.max(...entries.map(([name]) => name.length)) + 4;
  if (COLUMNS - left < WORDS_BESIDE_MIN)
    return entries.map(([name, about]) => `  ${name}\n${wrap(about, "      ")}`).join("\n");
  return entries.map(([name, about]) => wrap(about, " ".repeat(left), `  ${name}`.padEnd(left))).join("\n");
}

export function describeBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
