// Lets the SARIF committee's own validator judge what each command prints. Ends with a line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSarifFaults, installTools, SARIF_VALIDATOR } from "./npm-tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-sarif-"));
let failed = 0;
let passed = 0;

try {
  installTools(folder, [SARIF_VALIDATOR]);
  writeInputs();
  for (const words of [
    ["check", "--format", "sarif", join(folder, "after.json")],
    ["diff", "--format", "sarif", join(folder, "before.json"), join(folder, "after.json")],
    ["replay", "--format", "sarif", join(folder, "corpus")],
  ]) {
    const faults = judge(words);
    if (faults.length === 0) passed += 1;
    else failed += 1;
    console.log(`${faults.length === 0 ? "ok" : "not ok"} ${words[0]} ${faults.join("; ")}`);
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

function judge(words) {
  const printed = spawnSync(process.execPath, [join(root, "dist/cli/main.js"), ...words], { encoding: "utf8" });
  const file = join(folder, "out.sarif");
  writeFileSync(file, printed.stdout);
  return findSarifFaults(folder, file);
}
