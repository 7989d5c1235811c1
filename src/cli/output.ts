/** Words and colours for people (CL-2). Machine formats are built elsewhere and written as they are. */
import { stripVTControlCharacters, styleText } from "node:util";

/** Tables and paragraphs fit a terminal of this width. */
export const COLUMNS_MAX = 80;

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

/** `text` in lines of at most `COLUMNS_MAX` characters, words kept whole. `first` opens the first line, `indent` the others. */
export function wrap(text: string, indent = "", first = indent): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && measure(line) + 1 + word.length > COLUMNS_MAX) {
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

/** A two-column list: names to the left, wrapped words beside them. */
export function list(entries: readonly (readonly [name: string, about: string])[]): string {
  const left = Math.max(...entries.map(([name]) => name.length)) + 4;
  return entries.map(([name, about]) => wrap(about, " ".repeat(left), `  ${name}`.padEnd(left))).join("\n");
}

export function describeBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
