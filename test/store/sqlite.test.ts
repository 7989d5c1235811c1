import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open-store.ts";
import { eventStoreSuite } from "./event-store-suite.ts";
import { processesSuite } from "./processes-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let databases = 0;

eventStoreSuite("sqlite", () => openSqliteStore(nextPath()));
processesSuite("sqlite", async () => `sqlite:${nextPath()}`);

function nextPath(): string {
  databases += 1;
  return join(folder, `${databases}.db`);
}
