/** `holdfast hash`: the identity of any JSON document. */
import { canonicalSha256 } from "../lib/canonical-json.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { readJsonDocument, withFileName } from "./json-document.ts";
import { writeJson, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";

export const hash: Command = {
  name: "hash",
  operands: "FILE",
  about:
    "Prints the SHA-256 of the canonical bytes of a JSON document: members sorted by code point, no spaces, numbers " +
    "exact. FILE may be - for stdin. What would be rounded or lost is an error that names the place.",
  flags: [{ name: "json", about: "print one JSON document" }],
  run: runHash,
};

async function runHash(invocation: Invocation): Promise<ExitCode> {
  const [path, ...more] = invocation.operands;
  if (path === undefined || more.length > 0)
    throw usageError(`hash takes one FILE, or - for stdin; ${invocation.operands.length} are given`);
  const document = await readJsonDocument(path);
  const sha256 = withFileName(path, () => canonicalSha256(document));
  if (invocation.isOn("json")) writeJson({ schema: 1, sha256 });
  else writeLine(sha256);
  return EXIT.fine;
}
