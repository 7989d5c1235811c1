/** The second example that an engineer copies. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const EXAMPLE = fileURLToPath(new URL("../../examples/inject.ts", import.meta.url));

test("DG-60 DG-62 the example carries its notes until a turn goes out without them, and says so", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE]);
  expect(stdout).toBe("carry, lost 0\ncarry, lost 0\ncarry, lost 1\nleave-out, lost 1\n");
});
