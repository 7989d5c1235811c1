/** What the compiler guards for plans, shown with planted faults. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Given files of TypeScript, when they are compiled against the sources, then these have errors. */
async function check(files: Readonly<Record<string, string>>, faulty: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text.replaceAll("src/", `${root}src/`));
  const compilerOptions = {
    ...{ target: "es2024", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const output = await promisify(execFile)(process.execPath, [compiler, "-p", folder]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
  const found = Object.keys(files).filter((name) => output.includes(`${name}(`));
  expect(found, output).toEqual(faulty);
}

test("PI-10 a kind of row without a region does not compile, and a turn's row is no prefix row", async () => {
  const region = 'import { REGION, type PrefixRow, type RowKind } from "src/plan/prompt-row.ts";\n';
  await check(
    {
      "regions.ts": `${region}({ ...REGION }) satisfies Record<RowKind, "prefix" | "body">;`,
      "weather.ts": `${region}({ ...REGION }) satisfies Record<RowKind | "weather", "prefix" | "body">;`,
      "persona.ts": `${region}export const row: PrefixRow = { kind: "persona", trust: "user", content: [] };`,
      "clock.ts": `${region}export const row: PrefixRow = { kind: "clock", trust: "platform", content: [] };`,
    },
    ["weather.ts", "clock.ts"],
  );
});

/** Every path through a type at which a Set or a Map may stand. */
const AUDIT = `
type SetPaths<T, P extends string> =
  T extends ReadonlySet<unknown> | ReadonlyMap<unknown, unknown> ? P
  : T extends readonly (infer E)[] ? SetPaths<E, \`\${P}/*\`>
  : T extends object ? { [K in keyof T & string]-?: SetPaths<Exclude<T[K], undefined>, \`\${P}/\${K}\`> }[keyof T & string]
  : never;
type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
`;

test("PI-6 of all types that reach a hash, only required_scopes holds a set", async () => {
  const audit = `import type { FrozenPrefix } from "src/plan/identity.ts";
import type { PlanEvent } from "src/plan/plan-event.ts";
import type { PinState } from "src/authority/pins.ts";
${AUDIT}
type Declared = "/tools/*/required_scopes" | "/deferred_tools/*/required_scopes";
`;
  const proof = (type: string, declared: string) =>
    `${audit}export const proof: Equal<SetPaths<${type}, "">, ${declared}> = true;`;
  await check(
    {
      "prefix.ts": proof("FrozenPrefix", "Declared"),
      "event.ts": proof(
        "PlanEvent",
        '"/plan/prefix/tools/*/required_scopes" | "/plan/prefix/deferred_tools/*/required_scopes" | "/plan/appendedTools/*/required_scopes"',
      ),
      "pins.ts": proof("PinState", "never"),
      "planted.ts": proof("FrozenPrefix & { readonly labels: ReadonlySet<string> }", "Declared"),
      "hidden.ts": proof(
        "FrozenPrefix & { readonly rows: readonly { readonly by?: ReadonlyMap<string, string> }[] }",
        "Declared",
      ),
    },
    ["planted.ts", "hidden.ts"],
  );
});
