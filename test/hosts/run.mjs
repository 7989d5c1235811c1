// Runs the suites where nothing but loopback exists, if this machine lets us: agents look things up on their own, and no
// test may depend on an answer. Without that right they run as they are. Words are passed on to vitest.
import { spawnSync } from "node:child_process";

const isolate = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const isolated = run([...isolate, "true"], "ignore") === 0;
console.log(isolated ? "Network: loopback only." : "Network: as it is, no namespace can be made here.");
process.exitCode = run([...(isolated ? isolate : []), "vitest", "run", ...process.argv.slice(2)], "inherit");

/** The exit code; 1 where the program can't be started. */
function run([program, ...words], stdio) {
  return spawnSync(program, words, { cwd: import.meta.dirname, stdio }).status ?? 1;
}
