import { expect, test } from "vitest";
import { runProgram } from "./program.ts";

test("the demo shows a dead session, the repaired turn, equal bytes and a cache that holds", async () => {
  const { status, stdout, stderr } = await runProgram(["demo"]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout.match(/HTTP 400/g)).toHaveLength(2);
  expect(stdout).toContain("A-PAIR-1");
  expect(stdout).toContain("3 left as the same bytes");
  expect(stdout).toContain("5 turns through the gateway, 5 answered.");
  for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);

  const meters = [...stdout.matchAll(/read (\d+) +written (\d+) +uncached (\d+)/g)].map((match) =>
    match.slice(1).map(Number),
  );
  expect(meters).toHaveLength(5);
  for (const [at, [read]] of meters.entries()) {
    const before = meters[at - 1];
    expect(read, `turn ${at + 1} reads all that the turn before had read or written`).toBe(
      before === undefined ? 0 : before[0]! + before[1]!,
    );
  }
});
