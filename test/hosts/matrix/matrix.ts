/**
 * Writes docs/reference/host-matrix.md from the results of the suites, or, with `--check`, fails where the file says
 * anything else. Words: the result files, else that of the last run.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { renderMatrix } from "./render-matrix.ts";
import { readResults } from "./results.ts";

const page = new URL("../../../docs/reference/host-matrix.md", import.meta.url);

const words = process.argv.slice(2);
const named = words.filter((word) => word !== "--check");
const files = named.length > 0 ? named : [`${import.meta.dirname}/../results.json`];
const { text, problems } = renderMatrix(readResults(files));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
if (!words.includes("--check")) writeFileSync(page, text);
else if (readFileSync(page, "utf8") !== text) {
  console.error(
    "docs/reference/host-matrix.md is not what the suites show. Write it with: node test/hosts/matrix/matrix.ts",
  );
  process.exit(1);
}
