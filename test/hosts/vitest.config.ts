import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    // Beside the suites of this folder, what the acceptance of the proposal runs on the hosts.
    include: ["*.test.ts", "../acceptance/**/*.hosts.test.ts"],
    // The host matrix is written from the second one.
    reporters: ["default", "json"],
    outputFile: { json: "results.json" },
    // Agents of half a gigabyte start several times per test, on two cores.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
