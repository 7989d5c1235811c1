/** `holdfast doctor`: the state of the store, the agents, the gateway, the rules and the counters. */
import { homedir, hostname, userInfo } from "node:os";
import type { Diagnosis } from "../report/doctor/diagnosis.ts";
import type { OwnerFilter } from "../report/doctor/store-records.ts";
import type { Command, Invocation } from "./command.ts";
import { CONFIG_FLAGS, readConfig } from "./config.ts";
import { diagnose } from "./doctor-checks.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { wrap, write, writeJson, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

const CONFIG = ["config", "store", "host", "port"] as const;

export const doctor: Command = {
  name: "doctor",
  operands: "",
  about:
    "Looks at the runtime, the store, the agents of this machine, the gateway, and what was counted over all processes. " +
    "Exit code 1 when something is found, 2 when the environment is broken.",
  flags: [
    ...CONFIG.map((flag) => CONFIG_FLAGS[flag]),
    { name: "tenant", value: "NAME", about: "only sessions of this tenant" },
    { name: "principal", value: "NAME", about: "only sessions of this principal" },
    { name: "fix", about: "put right what is safe first: nothing is deleted, and each step is said before and after" },
    { name: "issue", about: "print a report for a public issue: no names, keys, paths or prompt text" },
    { name: "json", about: "print one JSON document" },
  ],
  run: runDoctor,
};

async function runDoctor(invocation: Invocation): Promise<ExitCode> {
  const [issue, json] = [invocation.isOn("issue"), invocation.isOn("json")];
  if (invocation.operands.length > 0)
    throw usageError(`doctor takes no operand, but "${invocation.operands[0]}" is given`);
  if (issue && json) throw usageError("--issue prints Markdown; leave out --json");
  if (issue && invocation.isOn("fix")) throw usageError("--issue only looks; run --fix before it");
  const { store, host, port } = await readConfig(invocation, CONFIG, process.env);
  const whose = { tenant: invocation.value("tenant"), principal: invocation.value("principal") };
  const fixes = invocation.isOn("fix") ? await fix(store, whose, json) : [];
  const surroundings = { env: process.env, home: homedir(), folder: process.cwd() };
  const diagnosis = await diagnose({ store, whose, host, port, ...surroundings });
  if (json) writeJson({ schema: 1, version: readVersion(), fixes, ...diagnosis, isBroken: undefined });
  else if (issue) await writeIssue(diagnosis);
  else writeLine((await import("./doctor-text.ts")).describeDiagnosis(diagnosis));
  return exitCodeOf(diagnosis);
}

async function fix(store: string, whose: OwnerFilter, json: boolean) {
  const { fixStore } = await import("./doctor-fix.ts");
  const fixes = await fixStore(store, whose, (line) => (json ? undefined : writeLine(wrap(line, "  ", ""))));
  if (!json) writeLine();
  return fixes;
}

async function writeIssue(diagnosis: Diagnosis): Promise<void> {
  const { describeIssue } = await import("../report/doctor/describe-issue.ts");
  const secrets = { home: homedir(), user: userName(), machine: hostname() };
  write(describeIssue(readVersion(), diagnosis, secrets));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return ""; // A container may run as a user without a name.
  }
}

function exitCodeOf({ checks, isBroken }: Diagnosis): ExitCode {
  if (isBroken) return EXIT.broken;
  return checks.some(({ status }) => status !== "ok") ? EXIT.findings : EXIT.fine;
}
