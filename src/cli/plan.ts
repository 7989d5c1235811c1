/** `holdfast plan`: the identity of a plan document. */
import { hashPrefix, type PlanIdentity } from "../plan/identity.ts";
import { parseRecordedPrefix, withScopeSets } from "../plan/recorded-prefix.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { readJsonDocument, withFileName } from "./json-document.ts";
import { list, writeJson, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";

export const plan: Command = {
  name: "plan",
  operands: "identity FILE",
  about:
    'identity: prints the two hashes of {"conversation", "tools", "deferred_tools"?}, and those of the document with its ' +
    "scope lists in the order found, as an older encoder would have hashed it. FILE may be - for stdin.",
  flags: [{ name: "json", about: "print one JSON document" }],
  run: runPlan,
};

async function runPlan(invocation: Invocation): Promise<ExitCode> {
  const [verb, operand, ...more] = invocation.operands;
  if (verb !== "identity") throw usageError(`plan ${verb ?? ""} is unknown; use: plan identity FILE`);
  if (operand === undefined || more.length > 0) throw usageError("plan identity takes one FILE, or - for stdin");
  return showIdentity(operand, invocation.isOn("json"));
}

async function showIdentity(path: string, json: boolean): Promise<ExitCode> {
  const document = await readJsonDocument(path);
  const { identity, recorded } = withFileName(path, () => {
    const prefix = parseRecordedPrefix(document);
    return { identity: hashPrefix(withScopeSets(prefix)), recorded: hashPrefix(prefix) };
  });
  if (json) writeJson({ schema: 1, ...identity, recorded });
  else {
    writeLine(describeIdentity(identity));
    writeLine(`recorded, with scope lists in the order found:\n${describeIdentity(recorded)}`);
  }
  return EXIT.fine;
}

function describeIdentity({ prefixSha256, toolSchemaSha256 }: PlanIdentity): string {
  return list([
    ["prefix", prefixSha256],
    ["tools", toolSchemaSha256],
  ]);
}
