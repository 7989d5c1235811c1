import { defineConfig } from "vitest/config";

/** The dashboard in a real browser; Debian's `chromium`, or the one that HOLDFAST_TEST_CHROMIUM names. */
export default defineConfig({
  test: { include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 1 },
});
