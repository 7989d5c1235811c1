/** The records of `holdfast check` in the machine formats of CI: SARIF for annotations, JUnit for lists of tests. */
import { isSyntaxFault, lineAndColumn, nodeAt, scanJson } from "../lib/json-spans.ts";
import type { Finding } from "../report/finding.ts";
import { nameCase, toJunit } from "../report/junit.ts";
import { toSarif } from "../report/sarif.ts";
import type { CheckRecord } from "./check-record.ts";
import type { RequestInput } from "./input.ts";
import { readVersion } from "./version.ts";

export type FindingsFormat = "sarif" | "junit";

/** Collects while the inputs pass by, so that no body is kept. */
export class FindingsReport {
  readonly #format: FindingsFormat;
  readonly #findings: Finding[] = [];
  readonly #checked: string[] = [];

  constructor(format: FindingsFormat) {
    this.#format = format;
  }

  add(record: CheckRecord, input: RequestInput): void {
    const place = { file: record.source, ...(record.line !== null && { line: record.line }) };
    this.#checked.push(nameCase(place));
    for (const { rule, path, message, source } of record.violations) {
      this.#findings.push({
        id: rule,
        level: "error",
        message,
        path,
        helpUri: source,
        ...place,
        ...this.#lineOf(input, path),
      });
    }
    for (const { class: id, path, count } of record.divergences) {
      const message = `unexpected, and taken by the provider${count > 1 ? ` (${count} times)` : ""}`;
      this.#findings.push({ id, level: "note", message, path, ...place, ...this.#lineOf(input, path) });
    }
  }

  describe(): string {
    if (this.#format === "junit") return toJunit(this.#findings, { name: "check", checked: this.#checked });
    return `${JSON.stringify(toSarif(this.#findings, { version: readVersion(), root: process.cwd() }), null, 1)}\n`;
  }

  /** An annotation stands at the line of its place; a test is a whole request, and an envelope has other lines than its body. */
  #lineOf({ line, bytes, hints }: RequestInput, path: string): { line?: number } {
    const isBare = line === null && Object.keys(hints).length === 0;
    if (this.#format === "junit" || !isBare) return {};
    const root = scanJson(bytes);
    const node = isSyntaxFault(root) ? undefined : nodeAt(root, path);
    return node === undefined ? {} : { line: lineAndColumn(bytes, node.start).line };
  }
}
