// Builds dist/ file for file with plain tsc, joins the modules of the commands, which have to start fast, writes the JSON
// Schema of the configuration and makes the program executable.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { z } from "zod";

/** Loading a hundred small modules takes twice as long as an empty program (docs/adr/0002). */
const COMMANDS = ["check", "diff", "doctor", "hash", "plan", "replay", "scan", "start", "gateway-process"];

/** Packages of one small module, which would take longer to find than to run. */
const SMALL_PACKAGES = ["eventsource-parser"];

const root = fileURLToPath(new URL("..", import.meta.url));

compile();
// Imports what Node has in the usual way: a Node that is too old must come as far as the message about it.
await joinModules(`${root}dist/cli/main.js`);
for (const name of COMMANDS)
  await joinModules(`${root}dist/cli/${name}.js`, { packages: SMALL_PACKAGES, rewrite: takeNamed });
await joinModules(`${root}dist/store/sqlite/worker.js`);
await joinModules(`${root}dist/gateway/prefix-worker.js`);
// Of zod's hundred modules most are words in other languages.
await joinModules(`${root}dist/cli/config-schema.js`, { packages: ["zod"] });
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
 * @param packages those that are put into it as well, each with its licence in front
 * @param rewrite what else is done with the code
 */
async function joinModules(file, { packages = [], rewrite = (code) => code } = {}) {
  const folder = dirname(file);
  const isOutside = (id) => isPackage(id) && !packages.some((name) => id === name || id.startsWith(`${name}/`));
  const plugin = {
    name: "joined-modules",
    resolveDynamicImport: (id, importer) => ({
      id: isPackage(id) ? id : `./${relative(folder, resolve(dirname(importer), id))}`,
      external: true,
    }),
    renderChunk: rewrite,
  };
  const licencesOf = ({ moduleIds }) =>
    packages
      .filter((name) => moduleIds.some((id) => id.includes(`/node_modules/${name}/`)))
      .map(licenceOf)
      .join("\n");
  const bundle = await rolldown({ input: file, platform: "node", plugins: [plugin], external: isOutside });
  await bundle.write({ file, format: "esm", banner: licencesOf });
}

function isPackage(id) {
  return !id.startsWith(".") && !isAbsolute(id);
}

function licenceOf(name) {
  return `/*! ${name}\n\n${readFileSync(`${root}node_modules/${name}/LICENSE`, "utf8")}*/`;
}

/**
 * An `import` of a module of Node's asks for all that it exports, and some of that is loaded only when it is asked for:
 * with `node:http` comes a WebSocket, which takes longer than an empty program. So only what is named is asked for.
 */
function takeNamed(code) {
  return code.replace(/^import (?:\{ (.*) \}|(\w+)) from "(node:.*)";$/gm, (_, names, whole, id) => {
    const taken = whole ?? `{ ${names.replaceAll(" as ", ": ")} }`;
    return `const ${taken} = process.getBuiltinModule("${id}");`;
  });
}

async function writeConfigSchema() {
  const { configSchema } = await import("../dist/cli/config-schema.js");
  const schema = { title: "holdfast.config.json", ...z.toJSONSchema(configSchema) };
  writeFileSync(`${root}dist/holdfast.config.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}
