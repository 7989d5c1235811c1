/** Where `check --repair -o` puts the bodies: stdout, one file, or a folder with the names of the inputs. */
import { appendFile, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { RequestInput } from "./input.ts";
import { write } from "./output.ts";
import { usageError } from "./usage-error.ts";

export interface RepairedOutput {
  write(input: RequestInput, body: Uint8Array): Promise<void>;
}

/** @param path `-` for stdout; a folder where it is one, ends with a slash, or the inputs are several or a folder */
export async function openRepairedOutput(path: string, inputs: readonly string[]): Promise<RepairedOutput> {
  if (path === "-") return { write: async (input, body) => write(toText(input, body)) };
  const isFolder =
    path.endsWith("/") || inputs.length > 1 || (await isDirectory(inputs[0]!)) || (await isDirectory(path));
  const written = new Set<string>();
  return {
    write: async (input, body) => {
      const file = isFolder ? join(path, input.target) : path;
      if (resolve(file) === resolve(input.source))
        throw usageError(`-o ${file} would overwrite its own input; name another place`);
      if (written.has(file) && input.line === null)
        throw usageError(`two requests would be written to ${file}; name a folder with -o`);
      await mkdir(dirname(file), { recursive: true });
      await (written.has(file) ? appendFile : writeFile)(file, toText(input, body));
      written.add(file);
    },
  };
}

/** A body on a line of its own: a line break in valid JSON is space between tokens, never content. */
function toText(input: RequestInput, body: Uint8Array): Uint8Array {
  if (input.line === null) return body;
  return Buffer.concat([body.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)), Buffer.from("\n")]);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
