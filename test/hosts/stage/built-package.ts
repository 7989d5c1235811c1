/** The package as an agent installs it, built from the sources that are tested. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** For a whole test file: a folder with `package.json` and `dist/`, from where the dependencies of the package resolve. */
export function useBuiltPackage(): { readonly folder: string } {
  const built = { folder: "" };
  beforeAll(() => {
    const parent = `${root}node_modules/.cache`;
    mkdirSync(parent, { recursive: true });
    built.folder = mkdtempSync(`${parent}/holdfast-`);
    copyFileSync(`${root}package.json`, `${built.folder}/package.json`);
    const words = ["-p", `${root}tsconfig.build.json`, "--outDir", `${built.folder}/dist`, "--noCheck"];
    execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, ...words], { stdio: "inherit" });
  });
  afterAll(() => rmSync(built.folder, { recursive: true, force: true }));
  return built;
}
