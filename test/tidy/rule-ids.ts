/** Which rules `docs/spec` says are implemented, and which of them a test title begins with. */
import type { SourceFile } from "./source-file.ts";

const ID = /[A-Z]+(?:-[A-Z]+)*-\d+/;
const SPEC_LINE = new RegExp(`^- (\\[ \\] )?(${ID.source})\\b`, "gm");
const TITLE = /\b(?:test|it|describe)(?:\.\w+)*\(\s*(?:\[[^\]]*\]\s*\)\(\s*)?(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
/** One id or a range, and whatever separates it from the next: `DG-5, DG-6 …`, `PI-1…PI-7 …`. */
const LEADING_IDS = new RegExp(`^(?:${ID.source}(?:\\s*(?:,|/|…|\\.\\.|and)\\s*|\\s+(?=${ID.source}\\b))?)+`);

export function listImplementedRules(files: readonly SourceFile[]): string[] {
  const specs = files.filter(({ path }) => /^docs\/spec\/.+\.md$/.test(path));
  return specs.flatMap(({ text }) =>
    [...text.matchAll(SPEC_LINE)].filter((line) => line[1] === undefined).map((line) => line[2]!),
  );
}

export function listTestedRules(files: readonly SourceFile[]): Set<string> {
  // Suites that every adapter runs stand beside the test files that call them.
  const tests = files.filter(({ path }) => /(\.test|-suite)\.ts$/.test(path));
  const titles = tests.flatMap(({ text }) => [...text.matchAll(TITLE)].map((match) => match[2]!));
  return new Set(titles.flatMap(readLeadingIds));
}

/** `A-1, A-3…A-5 what holds` gives. */
export function readLeadingIds(title: string): string[] {
  const lead = LEADING_IDS.exec(title)?.[0] ?? "";
  const ids: string[] = [];
  for (const part of lead.matchAll(new RegExp(`(…|\\.\\.)?\\s*(${ID.source})`, "g"))) {
    const id = part[2]!;
    const previous = ids.at(-1);
    if (part[1] !== undefined && previous !== undefined) ids.push(...expandRange(previous, id));
    ids.push(id);
  }
  return ids;
}

function expandRange(from: string, to: string): string[] {
  const [prefix, first] = splitId(from);
  const [, last] = splitId(to);
  return Array.from({ length: Math.max(0, last - first - 1) }, (_, index) => `${prefix}-${first + 1 + index}`);
}

function splitId(id: string): [prefix: string, number: number] {
  const dash = id.lastIndexOf("-");
  return [id.slice(0, dash), Number(id.slice(dash + 1))];
}
