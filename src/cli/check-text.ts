/** The records of `holdfast check` as a person reads them. */
import type { CheckRecord } from "./check-record.ts";
import { paint, type Style, wrap } from "./output.ts";

const LOOKS: Readonly<Record<CheckRecord["verdict"], readonly [style: Style, words: string]>> = {
  admit: ["green", "legal"],
  "admit-unverified": ["green", "legal, with notes"],
  unsafe: ["red", "unsafe"],
};

/** One request: what it is, each fault with its place, and what the gate does about it. */
export function describeRecord(record: CheckRecord): string {
  const [style, words] = LOOKS[record.verdict];
  const lines = [
    `${nameRecord(record)}: ${paint(style, words)}${record.outcome === "sent" ? "" : `, ${record.outcome}`}`,
    `  ${record.api} at ${record.backend}, model ${record.model ?? "not named"}${record.detected ? " (detected)" : ""}`,
  ];
  for (const violation of record.violations) {
    lines.push(`  ${paint("bold", violation.rule)} ${violation.path || "(the whole body)"}`);
    lines.push(wrap(violation.message, "    "));
    if (violation.repair !== null) lines.push(`    repair: ${violation.repair}`);
  }
  for (const { class: name, path, count } of record.divergences) {
    lines.push(`  note ${name} ${path}${count > 1 ? ` (${count} times)` : ""}`);
  }
  for (const edit of record.edits) {
    lines.push(
      `  ${edit.op} ${edit.from === undefined ? "" : `${edit.from} to `}${edit.path} for ${edit.rule}, changes ${edit.changes}`,
    );
  }
  return lines.join("\n");
}

export function describeTotals(records: readonly CheckRecord[]): string {
  const count = (keep: (record: CheckRecord) => boolean) => records.filter(keep).length;
  const unsafe = count((record) => record.verdict === "unsafe");
  const repaired = count((record) => record.outcome === "repaired");
  const degraded = count((record) => record.outcome === "degraded");
  return `${records.length} request${records.length === 1 ? "" : "s"}: ${records.length - unsafe} legal, ${unsafe} unsafe (the gate repairs ${repaired}, can't help ${degraded})`;
}

function nameRecord(record: CheckRecord): string {
  return record.line === null ? record.source : `${record.source}:${record.line}`;
}
