// Builds dist/ file for file with plain tsc, joins the modules of the commands that have to start fast, writes the JSON
// Schema of the configuration and makes the program executable.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { z } from "zod";

/** Loading a hundred small modules takes twice as long as an empty program (docs/adr/0002). */
const JOINED = ["cli/main", "cli/check", "cli/diff"];

const root = fileURLToPath(new URL("..", import.meta.url));
compile();
for (const name of JOINED) await joinModules(`${root}dist/${name}.js`);
await writeConfigSchema();
chmodSync(`${root}dist/cli/main.js`, 0o755);

function compile() {
  rmSync(`${root}dist`, { recursive: true, force: true });
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Puts what `file` imports statically into it. What it imports when it needs it stays outside, under its own path. */
async function joinModules(file) {
  const keepOutside = { name: "keep-outside", resolveDynamicImport: (id) => ({ id, external: true }) };
  const isPackage = (id) => !id.startsWith(".") && !isAbsolute(id);
  const bundle = await rolldown({ input: file, platform: "node", plugins: [keepOutside], external: isPackage });
  await bundle.write({ file, format: "esm" });
}

async function writeConfigSchema() {
  const { configSchema } = await import("../dist/cli/config-schema.js");
  const schema = { title: "holdfast.config.json", ...z.toJSONSchema(configSchema) };
  writeFileSync(`${root}dist/holdfast.config.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}
