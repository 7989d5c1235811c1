/** Where `check --repair -o` puts the bodies: stdout, one file, or a folder with the names of the inputs. */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RequestInput } from "./input.ts";
import { write } from "./output.ts";
import { usageError } from "./usage-error.ts";

export interface RepairedOutput {
  write(input: RequestInput, body: Uint8Array): void;
}

/** @param path `-` for stdout; a folder where it is one, ends with a slash, or the inputs are several or a folder */
export function openRepairedOutput(path: string, inputs: readonly string[]): RepairedOutput {
  if (path === "-") return { write: (input, body) => write(toText(input, body)) };
  const isFolder = path.endsWith("/") || inputs.length > 1 || isDirectory(inputs[0]!) || isDirectory(path);
  const written = new Set<string>();
  return {
    write: (input, body) => {
      const file = isFolder ? join(path, input.target) : path;
      if (resolve(file) === resolve(input.source))
        throw usageError(`-o ${file} would overwrite its own input; name another place`);
      if (written.has(file) && input.line === null)
        throw usageError(`two requests would be written to ${file}; name a folder with -o`);
      mkdirSync(dirname(file), { recursive: true });
      (written.has(file) ? appendFileSync : writeFileSync)(file, toText(input, body));
      written.add(file);
    },
  };
}

/** A body on a line of its own: a line break in valid JSON is space between tokens, never content. */
function toText(input: RequestInput, body: Uint8Array): Uint8Array {
  if (input.line === null) return body;
  return Buffer.concat([body.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)), Buffer.from("\n")]);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
