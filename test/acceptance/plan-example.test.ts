/** The example that an engineer copies: it runs, and runs again on the plan that it made. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../store/temporary-folder.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/plan.ts", import.meta.url));

test("PI-20 the example makes a plan, keeps it when it runs again, and its request carries it", async () => {
  const run = async (...store: string[]) => (await promisify(execFile)(process.execPath, [EXAMPLE, ...store])).stdout;
  const store = `sqlite:${join(temporaryFolder(), "plans.db")}`;
  const first = await run(store);
  expect(first).toMatch(/^create, epoch 1, prefix [0-9a-f]{64}, 1 pin, request equal\n$/);
  expect(await run(store)).toBe(first.replace("create", "keep"));
  expect(await run()).toBe(first);
});
