import { readFileSync } from "node:fs";

/** The version of this package; its manifest lies two folders above both `src/cli` and `dist/cli`. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}
