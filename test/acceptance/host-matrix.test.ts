/** Acceptance 6 of the proposal: where the gate runs is a page that CI writes from the results of the real hosts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/reference/host-matrix.md", root), "utf8");
const installed = JSON.parse(readFileSync(new URL("test/hosts/package.json", root), "utf8")) as {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

/** Cells of a table, the row of its head first. */
function tableBelow(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]!.split("\n## ")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("|") && !line.startsWith("| ---"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("HO-1 acceptance 6: every stage on every host is shown by a test or has its reason, and Pi and OMP show all that is one's own to show", () => {
  const [head, ...rows] = tableBelow("What is tested");
  const reasons = tableBelow("What does not apply, and why").slice(1);
  expect(rows.length).toBeGreaterThan(10);
  for (const [stage, ...cells] of rows) {
    for (const [nth, cell] of cells.entries()) {
      const reason = /^– \((\d+)\)$/.exec(cell)?.[1];
      const place = `${head![nth + 1]}, ${stage}`;
      if (reason === undefined) expect(cell, place).toMatch(/^yes(: |$)/);
      else expect(reasons[Number(reason) - 1]![0], place).toContain(head![nth + 1]);
    }
  }
  const missing = (host: string) =>
    rows.filter((row) => row[head!.indexOf(host)]!.startsWith("–")).map(([stage]) => /\*\*(.*)\*\*/.exec(stage!)![1]);
  expect(missing("Pi")).toEqual([]);
  expect(missing("OMP")).toEqual(["prepared", "operations"]);
});

test("HO-1 acceptance 6: the page speaks of the versions that the suites install, and says why OpenCode 2 is not among them", () => {
  const pinned = { ...installed.dependencies, ...installed.devDependencies };
  const versions = Object.entries(pinned).filter(([name]) => /pi-coding-agent$|^opencode-ai$|^ai$/.test(name));
  expect(versions.length).toBeGreaterThan(3);
  for (const [name, version] of versions) expect(page, name).toContain(version);
  const outside = tableBelow("Not in the table").map(([what, why]) => `${what}: ${why}`);
  expect(outside).toContainEqual(expect.stringMatching(/^OpenCode 2 plugins: .{20}/));
});
