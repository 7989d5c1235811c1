/**
 * All benchmarks one after the other, each in a process of its own: `npm run bench`, or some: `npm run bench -- verify diff`.
 * With `--json`, one document a line. A goal that is missed is said and is no failure: times depend on the machine.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BENCHES = ["verify", "identity", "gateway", "start-up", "store", "diff", "scan", "receipts"];

const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith("--"));
const unknown = named.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark '${unknown[0]}'. There are: ${BENCHES.join(", ")}.`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : BENCHES) {
  const options = args.filter((arg) => arg.startsWith("--"));
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...options], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
