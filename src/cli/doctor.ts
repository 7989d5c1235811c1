/** `holdfast doctor`: the state of the store, the agents, the gateway and the counters. */
import type { Command, Invocation } from "./command.ts";
import { CONFIG_FLAGS, readConfig } from "./config.ts";
import { type Diagnosis, type DoctorCheck, diagnose } from "./doctor-checks.ts";
import { describeIssue, describeLabels, ownSecrets } from "./doctor-issue.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { list, paint, type Style, wrap, write, writeJson, writeLine } from "./output.ts";
import { usageError } from "./usage-error.ts";
import { readVersion } from "./version.ts";

const CONFIG = ["config", "store", "host", "port"] as const;

export const doctor: Command = {
  name: "doctor",
  operands: "",
  about:
    "Looks at the runtime, the store, the agents of this machine and the gateway. Exit code 1 when something is broken.",
  flags: [
    ...CONFIG.map((flag) => CONFIG_FLAGS[flag]),
    { name: "issue", about: "print a report for a public issue: no names, keys, paths or prompt text" },
    { name: "json", about: "print one JSON document" },
  ],
  run: runDoctor,
};

async function runDoctor(invocation: Invocation): Promise<ExitCode> {
  if (invocation.operands.length > 0)
    throw usageError(`doctor takes no operand, but "${invocation.operands[0]}" is given`);
  if (invocation.isOn("issue") && invocation.isOn("json"))
    throw usageError("--issue prints Markdown; leave out --json");
  const { store, host, port } = readConfig(invocation, CONFIG, process.env);
  const diagnosis = await diagnose({ store, host, port, env: process.env });
  if (invocation.isOn("json")) writeJson({ schema: 1, version: readVersion(), ...diagnosis });
  else if (invocation.isOn("issue")) write(describeIssue(readVersion(), diagnosis, ownSecrets()));
  else writeDiagnosis(diagnosis);
  return diagnosis.checks.some((check) => check.status === "fail") ? EXIT.findings : EXIT.fine;
}

const LOOKS: Readonly<Record<DoctorCheck["status"], Style>> = { ok: "green", warn: "yellow", fail: "red" };

function writeDiagnosis({ checks, counters }: Diagnosis): void {
  for (const { status, title, advice } of checks) {
    writeLine(wrap(title, "      ", `${paint(LOOKS[status], status.padEnd(4))}  `));
    if (advice !== null) writeLine(wrap(advice, "      "));
  }
  if (counters.length === 0) return;
  writeLine("\nCounters");
  writeLine(
    list(
      counters.map(({ name, labels, count }) => [String(count), `${name} ${describeLabels(labels)}`.trim()] as const),
    ),
  );
}
