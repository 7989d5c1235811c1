/** Words and colours for people (CL-2). Machine formats are built elsewhere and written as they are. */
import { styleText } from "node:util";

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

/** `text` in lines of at most `width` characters; the lines behind the first start with `indent`. Long words stay whole. */
export function wrap(text: string, indent = "", width = COLUMNS_MAX): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join("\n");
}

/** A two-column list: names to the left, wrapped words beside them. */
export function list(entries: readonly (readonly [name: string, about: string])[]): string {
  const left = Math.max(...entries.map(([name]) => name.length)) + 4;
  return entries.map(([name, about]) => wrap(`${`  ${name}`.padEnd(left - 1)} ${about}`, " ".repeat(left))).join("\n");
}
