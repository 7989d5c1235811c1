/** A diagnosis for a person: what is wrong first and what to do about it, then what is fine. */
import type { Diagnosis } from "../report/doctor/diagnosis.ts";
import type { DoctorCheck } from "../report/doctor/doctor-check.ts";
import type { RuleReport } from "../report/doctor/rule-report.ts";
import { COLUMNS, list, paint, type Style, wrap } from "./output.ts";

const LOOKS: Readonly<Record<DoctorCheck["status"], Style>> = { ok: "green", warn: "yellow", fail: "red" };
const INDENT = "      ";

export function describeDiagnosis({ checks, counters, rules }: Diagnosis): string {
  const of = (status: DoctorCheck["status"]) => checks.filter((check) => check.status === status);
  const [fails, warns, fine] = [of("fail"), of("warn"), of("ok")];
  const parts = [
    [summarise(fails.length, warns.length), ""],
    [...fails, ...warns].flatMap(describeCheck),
    fails.length + warns.length > 0 ? [""] : [],
    fine.flatMap(describeCheck),
    rules.length === 0 ? [] : ["", "Rules", ...rules.flatMap(describeRule)],
    counters.length === 0 ? [] : ["", "Counters, over all processes and restarts", list(counters.map(describeCounter))],
  ];
  return cutLines(parts.flat().join("\n"));
}

function summarise(fails: number, warns: number): string {
  if (fails + warns === 0) return "Nothing is wrong.";
  return `${fails} broken, ${warns} to look at.`;
}

function describeCheck({ status, title, advice, detail }: DoctorCheck): readonly string[] {
  const lines = [wrap(title, INDENT, `${paint(LOOKS[status], status.padEnd(4))}  `)];
  if (detail !== null) lines.push(wrap(detail, INDENT));
  if (advice !== null) lines.push(wrap(advice, `${INDENT}  `, `${INDENT}→ `));
  return lines;
}

function describeRule({ rule, predicted, confirmed, refuted, missed, places }: RuleReport): readonly string[] {
  const counts = `${predicted} predicted, ${confirmed} confirmed, ${refuted} refuted, ${missed} missed`;
  const where = places.map(({ power, upstream, backend, model }) =>
    wrap(`${power} at ${upstream} (${backend}) for ${model || "any model"}`, `${INDENT}    `, `${INDENT}  `),
  );
  return [wrap(counts, `    `, `  ${rule.padEnd(14)}  `), ...where];
}

function describeCounter({ name, labels, count }: Diagnosis["counters"][number]): readonly [string, string] {
  const said = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return [String(count), [name, ...said].join(" ")];
}

/** Paths and names without a space are cut into lines too. */
function cutLines(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => (line.includes("\u001b") ? [line] : cut(line)))
    .join("\n");
}

function cut(line: string): readonly string[] {
  if (line.length <= COLUMNS) return [line];
  const indent = /^ */.exec(line)![0];
  return [line.slice(0, COLUMNS), ...cut(indent + line.slice(COLUMNS))];
}
