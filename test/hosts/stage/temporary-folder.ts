import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Gone with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-hosts-"));
  // A child that was killed may still be writing its last file.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
