/** The transcripts with planted faults that lie beside the repository, where they are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { scanPath } from "../transcripts/scan-files.ts";

const folder = fileURLToPath(new URL("../../../shared/cases/scan/", import.meta.url));
const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.includes(".")) : [];

interface Expected {
  readonly records: Record<string, number>;
  readonly damage: readonly { line?: number; file?: string; kind: string; bytes?: number; recoverable: boolean }[];
  readonly findings: readonly { rule: string; what: string; line?: number; file?: string; id: string }[];
  readonly cache?: { requests: number; breaks: readonly Break[] };
  readonly totals?: Record<"requests" | "input" | "output" | "cache_read" | "cache_creation", number>;
}

interface Break {
  readonly request: number;
  readonly line: number;
  readonly read_after: number;
  readonly expected_read: number;
  readonly rewritten: number;
  readonly cause: string;
}

describe.runIf(names.length > 0)("the scan cases", () => {
  test.for(names)("SC-2, SC-10, SC-14 %s gives the expected numbers", async (name) => {
    const expected = JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8")) as Expected;
    const { sessions } = await scanPath(join(folder, name));
    expect(sessions).toHaveLength(1);
    const session = sessions[0]!;
    expect(session.records).toMatchObject(expected.records);
    expect(session.damage.map(toDamage).sort(byText)).toEqual(expected.damage.map(toExpectedDamage).sort(byText));
    expect(session.findings.map(toFinding)).toEqual(expected.findings.map(toFinding));
    if (expected.cache !== undefined) {
      expect(session.turns).toBe(expected.cache.requests);
      expect(session.breaks.map(toBreak)).toEqual(expected.cache.breaks.map(toExpectedBreak));
    }
    if (expected.totals !== undefined) {
      const { requests, ...tokens } = expected.totals;
      expect(session.turns).toBe(requests);
      expect(session.tokens).toMatchObject(tokens);
    }
  });
});

type Scanned = Awaited<ReturnType<typeof scanPath>>["sessions"][number];

/** Of a path, only what the case names: the folder of the case is another one on each machine. */
function placeOf(line: number | null | undefined, file: string | undefined): string {
  return file === undefined ? `line ${line}` : file.slice(file.indexOf("storage/part"));
}

function toDamage({ line, file, kind, recovered }: Scanned["damage"][number]): string {
  return `${placeOf(line, file)} ${kind} ${recovered}`;
}

function toExpectedDamage({ line, file, kind, recoverable }: Expected["damage"][number]): string {
  return `${placeOf(line, file)} ${kind} ${recoverable}`;
}

function toFinding({
  rule,
  what,
  line,
  file,
  id,
}: {
  rule: string;
  what: string;
  line?: number | null;
  file?: string;
  id: string;
}) {
  return `${rule} ${what} ${placeOf(line, file)} ${id}`;
}

function toBreak({ request, line, cause, read, expected_read, rewritten }: Scanned["breaks"][number]) {
  return [request, line, cause, read, expected_read, rewritten];
}

function toExpectedBreak({ request, line, cause, read_after, expected_read, rewritten }: Break) {
  return [request, line, cause, read_after, expected_read, rewritten];
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
