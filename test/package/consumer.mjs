// Runs inside an empty project that has only the packed tarball: every subpath imports, the program runs.
// Arguments: the subpaths of the exports map. Prints one line per check, and exits 1 if one fails.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const manifestPath = createRequire(import.meta.url).resolve("holdfast/package.json");
const program = manifestPath.replace(/package\.json$/, "dist/cli/main.js");
let failed = 0;

for (const subpath of process.argv.slice(2)) {
  await check(`import ${subpath}`, async () => {
    const isJson = subpath.endsWith(".json");
    const module = await import(subpath, isJson ? { with: { type: "json" } } : undefined);
    if (Object.keys(module).length === 0) throw new Error("it exports nothing");
  });
}

const legal = { model: "claude-sonnet-4-5", max_tokens: 8, messages: [{ role: "user", content: "Hello" }] };
const orphan = { type: "tool_result", tool_use_id: "toolu_1", content: "3" };
writeFileSync("legal.json", JSON.stringify(legal));
writeFileSync("broken.json", JSON.stringify({ ...legal, messages: [{ role: "user", content: [orphan] }] }));
writeFileSync("binary.json", Buffer.from([0xff, 0x00]));

for (const [words, status] of [
  [["--version"], 0],
  [["--help"], 0],
  [["check", "legal.json"], 0],
  [["check", "--json", "broken.json"], 1],
  [["check", "--format", "sarif", "broken.json"], 1],
  [["check", "binary.json"], 2],
  [["hash", "legal.json"], 0],
  [["doctor", "--json", "--store", "sqlite:store.db"], 0],
  [["demo"], 0],
]) {
  await check(`holdfast ${words.join(" ")}`, () => {
    const run = spawnSync(process.execPath, [program, ...words], { encoding: "utf8", timeout: 60_000 });
    if (run.status !== status) throw new Error(`exit code ${run.status} instead of ${status}: ${run.stderr}`);
  });
}
process.exitCode = failed > 0 ? 1 : 0;

async function check(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.message}`);
  }
}
