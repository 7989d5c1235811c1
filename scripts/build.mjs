// Builds dist/ file for file with plain tsc, writes the JSON Schema of the configuration and makes the program executable.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const tsc = `${root}node_modules/typescript/bin/tsc`;
const build = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
if (build.status !== 0) process.exit(build.status ?? 1);

const { configSchema } = await import("../dist/cli/config-schema.js");
const schema = { title: "holdfast.config.json", ...z.toJSONSchema(configSchema) };
writeFileSync(`${root}dist/holdfast.config.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
chmodSync(`${root}dist/cli/main.js`, 0o755);
