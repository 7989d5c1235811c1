// Lets the SARIF committee's own validator judge what each command prints. It comes from npm when it is needed: it is
// large, and nothing else uses it. Ends with a line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VALIDATOR = "@microsoft/sarif-multitool@5.7.0";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-sarif-"));
let failed = 0;
let passed = 0;

try {
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, VALIDATOR]);
  writeInputs();
  for (const words of [
    ["check", "--format", "sarif", join(folder, "after.json")],
    ["diff", "--format", "sarif", join(folder, "before.json"), join(folder, "after.json")],
    ["replay", "--format", "sarif", join(folder, "corpus")],
  ]) {
    const problems = judge(words);
    if (problems.length === 0) passed += 1;
    else failed += 1;
    console.log(`${problems.length === 0 ? "ok" : "not ok"} ${words[0]} ${problems.join("; ")}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** A call without its result, a clock in the system text, and a corpus whose recorded verdict is another one. */
function writeInputs() {
  const call = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [call] },
    { role: "user", content: "stop" },
  ];
  for (const [name, time] of Object.entries({ before: "10:00:01", after: "10:00:07" })) {
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, system: `It is 2026-11-30 ${time}.`, messages };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(body));
  }
  cpSync(join(root, "test/corpus/starter"), join(folder, "corpus"), { recursive: true });
  const fixture = readdirSync(join(folder, "corpus"), { withFileTypes: true }).find((entry) => entry.isDirectory());
  rmSync(join(folder, "corpus", fixture.name), { recursive: true });
}

/** What the validator says of one command's output; a document without a finding proves nothing. */
function judge(words) {
  const printed = spawnSync(process.execPath, [join(root, "dist/cli/main.js"), ...words], { encoding: "utf8" });
  writeFileSync(join(folder, "out.sarif"), printed.stdout);
  if (!JSON.parse(printed.stdout).runs[0].results.length) return ["no result to judge"];
  const tool = join(folder, "node_modules/.bin/sarif-multitool");
  const report = join(folder, "report.sarif");
  run(tool, ["validate", join(folder, "out.sarif"), "--output", report, "--log", "ForceOverwrite"]);
  const results = JSON.parse(readFileSync(report, "utf8")).runs[0].results ?? [];
  return results
    .filter(({ level }) => level === "error")
    .map(({ ruleId, message }) => `${ruleId} ${message.text ?? message.arguments}`);
}

function run(command, args) {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8", cwd: folder });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr || stdout}`);
}
