/** One JSON document that a person names: a file, or - for stdin. Read without loss, because its identity is asked for. */
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { parseJsonText } from "../lib/canonical-json-text.ts";
import { HoldfastError, isHoldfastError } from "../lib/error.ts";
import { describeFileFailure } from "../lib/file-failure.ts";
import { usageError } from "./usage-error.ts";

/** @throws HoldfastError that names the file and, where the text is not JSON, line and column */
export async function readJsonDocument(path: string): Promise<unknown> {
  const bytes = path === "-" ? await buffer(process.stdin) : await readBytes(path);
  return withFileName(path, () => parseJsonText(bytes));
}

/** Runs `read`, with the file's name before the message of its error. */
export function withFileName<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Expected: the document is not JSON, or holds a value without canonical form.
    if (!isHoldfastError(error)) throw error;
    const separator = error.code === "invalid_json" ? ":" : ": ";
    throw new HoldfastError(error.code, `${path}${separator}${error.message}`, { cause: error });
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    // Expected: a wrong name, no permission, a folder.
    throw usageError(`${path}: ${describeFileFailure(error)}; name a JSON file, or - for stdin`);
  }
}
