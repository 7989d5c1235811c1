/** Findings as JUnit XML, the form that CI servers show as tests: one test case per thing that was looked at. */
import type { Finding } from "./finding.ts";

export interface JunitSuite {
  readonly name: string;
  /** Everything that was looked at, in order, as `file` or `file:line`; what has no finding passes. */
  readonly checked: readonly string[];
}

/** A finding of level `note` is shown and does not fail its case. */
export function toJunit(findings: readonly Finding[], suite: JunitSuite): string {
  const byCase = Map.groupBy(findings, nameCase);
  const names = [...new Set([...suite.checked, ...byCase.keys()])];
  const cases = names.map((name) => describeCase(name, suite.name, byCase.get(name) ?? []));
  const failed = names.filter((name) => byCase.get(name)?.some(fails)).length;
  const counts = `tests="${names.length}" failures="${failed}" errors="0" skipped="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="holdfast" ${counts}>`,
    `  <testsuite name="${escapeXml(suite.name)}" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** The name that a finding's case has among `checked`. */
export function nameCase({ file, line }: Pick<Finding, "file" | "line">): string {
  return line === undefined ? file : `${file}:${line}`;
}

function describeCase(name: string, suite: string, findings: readonly Finding[]): string {
  const open = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
  if (findings.length === 0) return `${open}/>`;
  const failures = findings.filter(fails);
  const notes = findings.filter((finding) => !fails(finding));
  return [
    `${open}>`,
    // A case has one failure; several findings stand in its text.
    ...(failures.length > 0 ? [describeFailure(failures)] : []),
    ...(notes.length > 0 ? [`      <system-out>${escapeXml(notes.map(describe).join("\n"))}</system-out>`] : []),
    "    </testcase>",
  ].join("\n");
}

function describeFailure(findings: readonly Finding[]): string {
  const first = findings[0]!;
  const head = `      <failure type="${escapeXml(first.id)}" message="${escapeXml(first.message)}">`;
  return `${head}${escapeXml(findings.map(describe).join("\n"))}</failure>`;
}

function describe({ id, path, message, helpUri }: Finding): string {
  return `${id}${path === undefined ? "" : ` at ${path === "" ? "the whole body" : path}`}: ${message}${helpUri === undefined ? "" : ` (${helpUri})`}`;
}

function fails({ level }: Finding): boolean {
  return level !== "note";
}

/** Characters that XML 1.0 can't hold at all become the replacement character. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
