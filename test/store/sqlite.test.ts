import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open-store.ts";
import { eventStoreSuite } from "./event-store-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

eventStoreSuite("sqlite", () => {
  databases += 1;
  return openSqliteStore(join(folder, `${databases}.db`));
});
