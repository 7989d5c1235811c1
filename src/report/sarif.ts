/** Findings as SARIF 2.1.0, the form that code scanning reads. */
import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { nodeCrypto } from "../lib/node-crypto.ts";
import type { Finding } from "./finding.ts";

export interface SarifTool {
  readonly version: string;
  /** Paths below it are written relative to it, as code scanning wants them. */
  readonly root: string;
}

/** One SARIF log with one run; `JSON.stringify` of it is the file. */
export function toSarif(findings: readonly Finding[], tool: SarifTool) {
  const ids = [...new Set(findings.map(({ id }) => id))];
  return {
    version: "2.1.0",
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    runs: [
      {
        tool: {
          driver: { name: "holdfast", version: tool.version, rules: ids.map((id) => describeRule(id, findings)) },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => describeResult(finding, ids.indexOf(finding.id), tool.root)),
      },
    ],
  };
}

function describeRule(id: string, findings: readonly Finding[]) {
  const first = findings.find((finding) => finding.id === id)!;
  return {
    id,
    shortDescription: { text: id },
    ...(first.helpUri !== undefined && { helpUri: first.helpUri }),
    defaultConfiguration: { level: first.level },
  };
}

function describeResult(finding: Finding, ruleIndex: number, root: string) {
  const { id, level, message, file, path } = finding;
  return {
    ruleId: id,
    ruleIndex,
    level,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toUri(file, root) },
          // Code scanning drops a result without a region; a request without lines is shown at its start.
          region: { startLine: finding.line ?? 1 },
        },
        ...(path !== undefined && { logicalLocations: [{ fullyQualifiedName: path, kind: "member" }] }),
      },
    ],
    partialFingerprints: { "holdfast/v1": fingerprint(finding, root) },
  };
}

function toUri(file: string, root: string): string {
  if (file === "-") return "stdin";
  const inside = relative(root, file);
  if (isAbsolute(file) && (inside.startsWith("..") || isAbsolute(inside))) return pathToFileURL(file).href;
  const steps = (isAbsolute(file) ? inside : file).split(sep);
  return steps.map(encodeURIComponent).join("/");
}

/** The same finding keeps it when its message or its line moves. */
function fingerprint({ id, file, path }: Finding, root: string): string {
  return nodeCrypto()
    .createHash("sha256")
    .update(JSON.stringify([id, toUri(file, root), path ?? null]))
    .digest("hex")
    .slice(0, 32);
}
