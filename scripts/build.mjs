// Builds dist/ file for file with plain tsc, joins the modules of the commands, which have to start fast, writes the JSON
// Schema of the configuration and makes the program executable.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { z } from "zod";

/** Loading a hundred small modules takes twice as long as an empty program (docs/adr/0002). */
const JOINED = ["main", "check", "diff", "doctor", "hash", "plan", "replay", "scan", "start"];

const root = fileURLToPath(new URL("..", import.meta.url));
compile();
for (const name of JOINED) await joinModules(`${root}dist/cli/${name}.js`, isPackage);
await joinModules(`${root}dist/store/sqlite/worker.js`, isPackage);
// Of zod's hundred modules most are words in other languages.
await joinModules(`${root}dist/cli/config-schema.js`, () => false, licenceOf("zod"));
await writeConfigSchema();
chmodSync(`${root}dist/cli/main.js`, 0o755);

function compile() {
  rmSync(`${root}dist`, { recursive: true, force: true });
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Puts what `file` imports statically into it. What it imports when it needs it stays outside, where it is.
 * @param banner what has to stand in front of the code of others
 */
async function joinModules(file, external, banner = "") {
  const folder = dirname(file);
  const keepOutside = {
    name: "keep-outside",
    resolveDynamicImport: (id, importer) => ({
      id: isPackage(id) ? id : `./${relative(folder, resolve(dirname(importer), id))}`,
      external: true,
    }),
  };
  const bundle = await rolldown({ input: file, platform: "node", plugins: [keepOutside], external });
  await bundle.write({ file, format: "esm", banner });
}

function isPackage(id) {
  return !id.startsWith(".") && !isAbsolute(id);
}

function licenceOf(name) {
  return `/*! ${name}\n\n${readFileSync(`${root}node_modules/${name}/LICENSE`, "utf8")}*/`;
}

async function writeConfigSchema() {
  const { configSchema } = await import("../dist/cli/config-schema.js");
  const schema = { title: "holdfast.config.json", ...z.toJSONSchema(configSchema) };
  writeFileSync(`${root}dist/holdfast.config.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}
