/** The house rules that no compiler checks. Each check is also shown a planted fault, so that it can't rot into a yes. */
import { basename } from "node:path";
import { expect, test } from "vitest";
import { findForbiddenImports } from "./tidy/layers.ts";
import { listImplementedRules, listTestedRules, readLeadingIds } from "./tidy/rule-ids.ts";
import { findPlaces, listRepository, type SourceFile } from "./tidy/source-file.ts";

const repository = listRepository();
const sources = repository.filter(({ path }) => /^(src|test|bench|examples|scripts)\/.*\.(ts|mjs)$/.test(path));
/** This folder holds the patterns that it looks for. */
const ownWords = /^test\/tidy/;

/** Folders from which a value can reach a hash: the whole way from the wire to the plan. */
const hashed = sources.filter(
  ({ path }) =>
    /^src\/(lib|wire|authority|plan|dispatch|cache|session|engine)\//.test(path) && !path.endsWith(".test.ts"),
);

function planted(path: string, text: string): readonly SourceFile[] {
  return [{ path, text }];
}

test("a module imports its own folder or a lower layer", () => {
  expect(findForbiddenImports(repository)).toEqual([]);
  for (const [path, specifier] of [
    ["src/lib/a.ts", "../wire/b.ts"],
    ["src/wire/a.ts", "../store/b.ts"],
    ["src/plan/a.ts", "../dispatch/b.ts"],
    ["src/gateway/a.ts", "../dashboard/b.ts"],
    ["src/hosts/pi/a.ts", "../omp/b.ts"],
    ["src/testing/a.ts", "../wire/b.ts"],
    ["src/engine/a.ts", "../cli/b.ts"],
  ] as const) {
    expect(findForbiddenImports(planted(path, `import { b } from "${specifier}";`)), path).toHaveLength(1);
    expect(findForbiddenImports(planted(path, `const b = await import("${specifier}");`)), path).toHaveLength(1);
  }
  expect(findForbiddenImports(planted("src/hosts/pi/a.ts", 'import { b } from "../guard.ts";'))).toEqual([]);
});

const LOCALE = /\.localeCompare\(|\bIntl\.Collator\b|\.toLocale(?:Lower|Upper)Case\(|\.toLocaleString\(/g;
const BARE_SORT = /\.(?:sort|toSorted)\(\)/g;
const CLOCK = /\bDate\.now\(\)|\bnew Date\(\)|\bMath\.random\(\)/g;

test("no locale, no bare sort and no bare clock stand on a way to a hash", () => {
  expect(findPlaces(sources.filter(isOurs), LOCALE)).toEqual([]);
  expect(findPlaces(hashed, BARE_SORT)).toEqual([]);
  const pure = hashed.filter(({ path }) => /^src\/(lib|wire|authority|plan|dispatch|session)\//.test(path));
  expect(
    findPlaces(
      pure.filter(({ path }) => path !== "src/lib/clock.ts"),
      CLOCK,
    ),
  ).toEqual([]);
  expect(findPlaces(planted("src/plan/a.ts", "names.sort((a, b) => a.localeCompare(b));"), LOCALE)).toHaveLength(1);
  expect(findPlaces(planted("src/plan/a.ts", "const order = [...names].sort();"), BARE_SORT)).toHaveLength(1);
  expect(findPlaces(planted("src/plan/a.ts", "const at = Date.now();"), CLOCK)).toHaveLength(1);
});

test("every rule that docs/spec calls implemented begins a test title", () => {
  const tested = listTestedRules(repository.filter(isOurs));
  expect(listImplementedRules(repository).filter((id) => !tested.has(id))).toEqual([]);
  expect(readLeadingIds("DG-5, DG-6 a soft divergence")).toEqual(["DG-5", "DG-6"]);
  expect(readLeadingIds("PI-1…PI-4 one text")).toEqual(["PI-1", "PI-2", "PI-3", "PI-4"]);
  expect(readLeadingIds("A-PAIR-1 a call without a result")).toEqual(["A-PAIR-1"]);
  expect(readLeadingIds("a title that only mentions DG-5")).toEqual([]);
  expect(listImplementedRules(planted("docs/spec/a.md", "- AB-1 is\n- [ ] AB-2 will be\n"))).toEqual(["AB-1"]);
  expect([...listTestedRules(planted("src/a.test.ts", 'test("AB-1 holds", () => {});'))]).toEqual(["AB-1"]);
});

const DRAWERS = /^(utils?|helpers?|common|types|manager|service|handler|misc)\.(ts|mjs)$/;

test("a file is named after what it holds, in kebab-case", () => {
  const names = sources.map(({ path }) => path);
  expect(names.filter((path) => DRAWERS.test(basename(path)))).toEqual([]);
  expect(names.filter((path) => !/^[a-z0-9-]+(\.[a-z]+)*\.(ts|mjs)$/.test(basename(path)))).toEqual([]);
  expect(DRAWERS.test("utils.ts")).toBe(true);
});

const MACHINE = /\/(?:work|root)\/|\/tmp\/[a-z]|registry\.npmjs/g;

test("the tree names no machine's paths and no registry", () => {
  expect(findPlaces(repository.filter(isOurs), MACHINE)).toEqual([]);
  expect(findPlaces(planted("a.md", "see /root/x"), MACHINE)).toHaveLength(1);
});

const SILENCED = /@ts-(?:ignore|nocheck)|\b(?:test|it|describe)\.(?:skip|only|todo)\b/g;

test("nothing is silenced: no ignored type error, no skipped test", () => {
  expect(findPlaces(sources.filter(isOurs), SILENCED)).toEqual([]);
  expect(findPlaces(planted("src/a.test.ts", 'test.skip("a", () => {});'), SILENCED)).toHaveLength(1);
});

test("every dependency has its line in the decision that keeps the list", () => {
  const manifest = JSON.parse(repository.find(({ path }) => path === "package.json")!.text);
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies });
  const decision = repository.find(({ path }) => path === "docs/adr/0001-one-package.md")!.text;
  expect(names.filter((name) => !decision.includes(`| \`${name}\` `))).toEqual([]);
});

function isOurs({ path }: SourceFile): boolean {
  return !ownWords.test(path);
}
