import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/hosts/**", "test/**/*.hosts.test.ts", "test/e2e/**", "node_modules/**"],
    // Real stores, servers and child processes share two cores with the rest of the machine.
    // Random histories are tried longer where that is asked for (HOLDFAST_TEST_RUNS).
    testTimeout: process.env.HOLDFAST_TEST_RUNS === undefined ? 60_000 : 1_200_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
