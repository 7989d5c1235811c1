/** What a run of the suites showed, out of the files that vitest's JSON reporter writes. */
import { readFileSync } from "node:fs";
import type { Proof } from "./proves.ts";

export interface ProofResult extends Proof {
  readonly passed: boolean;
  /** Name of the file that holds the test, without its ending. */
  readonly suite: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly meta: { readonly proves?: readonly Proof[] };
    }[];
  }[];
}

export function readResults(files: readonly string[]): readonly ProofResult[] {
  return files.flatMap((file) => {
    const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Report;
    return testResults.flatMap(({ name, assertionResults }) => {
      const suite = name.replace(/^.*\//, "").replace(/\.test\.ts$/, "");
      // What was left out of a run shows nothing.
      const ran = assertionResults.filter(({ status }) => status === "passed" || status === "failed");
      return ran.flatMap(({ status, meta }) =>
        (meta.proves ?? []).map((proof) => ({ ...proof, passed: status === "passed", suite })),
      );
    });
  });
}
