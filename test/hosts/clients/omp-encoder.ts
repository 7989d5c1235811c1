/** OMP's own encoders, which run on Bun only: one process encodes all that is asked for. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Encoded, Encoding } from "./encoding.ts";

const bun = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));
const program = fileURLToPath(new URL("omp-encoder-process.ts", import.meta.url));

export function encodeAsOmp(encodings: readonly Encoding[]): readonly Encoded[] {
  const home = mkdtempSync(join(tmpdir(), "holdfast-omp-"));
  try {
    const output = join(home, "encoded.json");
    const { status, stderr } = spawnSync(bun, [program, output], {
      input: JSON.stringify(encodings),
      env: { HOME: home, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    });
    if (status !== 0) throw new Error(`OMP's encoders ended with ${status}: ${stderr.toString()}`);
    return JSON.parse(readFileSync(output, "utf8")) as Encoded[];
  } finally {
    rmSync(home, { recursive: true });
  }
}
