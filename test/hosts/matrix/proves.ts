import type { Api } from "../../../src/wire/api.ts";
import type { Host, Stage } from "./stages.ts";

/** A cell of the matrix that a test stands for. */
export interface Proof {
  readonly host: Host;
  readonly stage: Stage;
  readonly api?: Api;
}

declare module "vitest" {
  interface TaskMeta {
    proves?: readonly Proof[];
  }
}

/**
 * The cells that a test stands for, as the second argument of `test`.
 * @example test("HO-3 Pi goes on", proves("Pi", ["throw in our code"]), async () => { … });
 */
export function proves(
  host: Host,
  stages: readonly Stage[],
  api?: Api,
): { readonly meta: { readonly proves: readonly Proof[] } } {
  return { meta: { proves: stages.map((stage) => ({ host, stage, ...(api === undefined ? {} : { api }) })) } };
}
