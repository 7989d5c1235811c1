// Packs the package, installs the tarball in an empty folder, and lets every Node that we support import every subpath
// and run the program there. Ends with a line `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The floor of `engines` and the long-term release that development runs on, from npm. */
const NODES = { node22: "22.19.0", node24: "24.21.0" };

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const subpaths = Object.keys(manifest.exports).map((path) => manifest.name + path.slice(1));
const folder = mkdtempSync(join(tmpdir(), "holdfast-package-"));
const counts = { passed: 0, failed: 0 };

try {
  run("npm", ["pack", "--silent", "--pack-destination", folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  step("publint finds no fault in the manifest", () =>
    run(process.execPath, [`${root}node_modules/publint/src/cli.js`, "--strict", join(folder, tarball)], root),
  );
  step("the tarball holds no test and no source", () => {
    const names = run("tar", ["-tzf", join(folder, tarball)], root).split("\n");
    const strangers = names.filter((name) => /\.test\.|\/src\/|\/test\//.test(name));
    if (strangers.length > 0) throw new Error(strangers.join(", "));
  });
  installConsumer(tarball);
  step("the types of every subpath resolve without skipping libraries", checkTypes);
  for (const node of Object.keys(NODES)) checkOn(node);
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function installConsumer(tarball) {
  const nodes = Object.entries(NODES).map(([alias, version]) => [alias, `npm:node-${platformName()}@${version}`]);
  const dependencies = {
    [manifest.name]: `file:${tarball}`,
    ...Object.fromEntries(nodes),
    postgres: manifest.devDependencies.postgres,
    "@types/node": manifest.devDependencies["@types/node"],
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  run("npm", ["install", "--silent", "--no-audit", "--no-fund"], folder);
  copyFileSync(`${root}test/package/consumer.mjs`, join(folder, "consumer.mjs"));
}

function checkTypes() {
  const modules = subpaths.filter((path) => !path.endsWith(".json"));
  writeFileSync(
    join(folder, "consumer.ts"),
    modules.map((path) => `export * from ${JSON.stringify(path)};\n`).join(""),
  );
  const flags = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"];
  run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, ...flags, "consumer.ts"], folder);
}

/** The packages of Node's builds are named by platform and processor. */
function platformName() {
  return `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

function checkOn(node) {
  const executable = join(folder, "node_modules", node, "bin", "node");
  const { stdout, stderr } = spawnSync(executable, ["consumer.mjs", ...subpaths], { cwd: folder, encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  for (const line of lines) report(line.startsWith("ok "), `${node}: ${line.replace(/^(ok|FAIL) /, "")}`);
  if (lines.length === 0) report(false, `${node}: ${stderr}`);
}

function step(name, body) {
  try {
    body();
    report(true, name);
  } catch (error) {
    report(false, `${name}: ${error.message}`);
  }
}

function report(passed, text) {
  counts[passed ? "passed" : "failed"] += 1;
  console.log(`${passed ? "ok  " : "FAIL"} ${text}`);
}

function run(command, words, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${error?.message ?? ""}${stdout}${stderr}`);
  return stdout;
}
