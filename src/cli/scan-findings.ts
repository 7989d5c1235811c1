/** What `holdfast scan` found, for code scanning and CI. */
import type { Finding } from "../report/finding.ts";
import type { ScannedSession, ScanResult } from "../transcripts/scan.ts";
import { describeCause, describeFinding } from "../transcripts/scan-words.ts";

/** A broken pair is an error unless the agent heals it; a lost cache is a note, because it stops nobody's work. */
export function toScanFindings(result: ScanResult): readonly Finding[] {
  return result.sessions.flatMap((session) => [...pairFindings(session), ...breakFindings(session)]);
}

function pairFindings(session: ScannedSession): readonly Finding[] {
  return session.findings.map((finding) => ({
    id: finding.rule,
    level: finding.healedByHost ? ("warning" as const) : ("error" as const),
    message: describeFinding(finding),
    file: finding.file ?? session.path,
    ...(finding.line !== null && { line: finding.line }),
  }));
}

function breakFindings(session: ScannedSession): readonly Finding[] {
  return session.breaks.map((found) => ({
    id: `cache/${found.cause}`,
    level: "note" as const,
    message: `${found.rewritten} cached tokens were paid again: ${describeCause(found.cause, found.detail)}`,
    file: session.path,
    ...(found.line > 0 && { line: found.line }),
  }));
}
