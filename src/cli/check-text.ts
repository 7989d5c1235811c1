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
    wrap(`${nameRecord(record)}: ${paint(style, words)}${record.outcome === "sent" ? "" : `, ${record.outcome}`}`),
    wrap(
      `${record.api} at ${record.backend}, model ${record.model ?? "not named"}${record.detected ? " (detected)" : ""}`,
      "    ",
      "  ",
    ),
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
    const place = edit.from === undefined ? edit.path : `${edit.from} to ${edit.path}`;
    lines.push(wrap(`${edit.op} ${place} for ${edit.rule}, changes ${edit.changes}`, "    ", "  "));
  }
  return lines.join("\n");
}

export function describeTotals(records: readonly CheckRecord[]): string {
  const count = (keep: (record: CheckRecord) => boolean) => records.filter(keep).length;
  const unsafe = count((record) => record.verdict === "unsafe");
  const repaired = count((record) => record.outcome === "repaired");
  const degraded = count((record) => record.outcome === "degraded");
  const requests = `${records.length} request${records.length === 1 ? "" : "s"}`;
  const gate = `the gate repairs ${repaired}, can't help ${degraded}`;
  return wrap(`${requests}: ${records.length - unsafe} legal, ${unsafe} unsafe (${gate})`, "  ", "");
}

function nameRecord(record: CheckRecord): string {
  return record.line === null ? record.source : `${record.source}:${record.line}`;
}
