// Tools of others that a check runs, from npm when they are needed: they are large, and nothing else uses them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const SARIF_VALIDATOR = "@microsoft/sarif-multitool@5.7.0";

/** @param packages each with its exact version */
export function installTools(folder, packages) {
  runTool(folder, "npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, ...packages]);
}

/** What the SARIF committee's own validator says of a file; a document without a finding proves nothing. */
export function findSarifFaults(folder, file) {
  if (readRun(file).results.length === 0) return ["no result to judge"];
  const report = join(folder, "report.sarif");
  const validator = join(folder, "node_modules/.bin/sarif-multitool");
  runTool(folder, validator, ["validate", file, "--output", report, "--log", "ForceOverwrite"]);
  return (readRun(report).results ?? [])
    .filter(({ level }) => level === "error")
    .map(({ ruleId, message }) => `${ruleId} ${message.text ?? message.arguments}`);
}

function readRun(file) {
  return JSON.parse(readFileSync(file, "utf8")).runs[0];
}

/** @returns what it printed */
export function runTool(folder, command, args) {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8", cwd: folder });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr || stdout}`);
  return stdout;
}
