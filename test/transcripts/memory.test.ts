import { fork } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ClaudeSession, sessionFile } from "./claude-rows.ts";
import { makeFolder, toLines } from "./scan-files.ts";

/** Bytes of one file; what a reader keeps of it would show in the peak. */
const fileBytes = 96 * 1024 * 1024;

test("SC-18 memory stays bounded while a big file streams through", async () => {
  const folder = makeFolder({ [sessionFile]: "" });
  const session = new ClaudeSession().user("Go.");
  for (let i = 0; i < 2000; i++)
    session.call(String(i), `toolu_${i}`).result(`toolu_${i}`, { toolUseResult: "x".repeat(3000) });
  const text = toLines(session.rows);
  for (let bytes = 0, copy = 0; bytes < fileBytes; copy++) {
    const own = text.replaceAll("-4000-9000-", `-${4000 + copy}-9000-`).replaceAll(/(toolu|msg|req)_/g, `$1_${copy}_`);
    appendFileSync(join(folder, sessionFile), own);
    bytes += own.length;
  }
  const child = fork(join(import.meta.dirname, "../../bench/scan.ts"), ["scan", folder]);
  const measured = await new Promise<{ peakBytes: number }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { peakBytes: number }));
    child.once("exit", () => reject(new Error("the scan ended without a measure")));
  });
  expect(measured.peakBytes).toBeLessThan(300 * 1024 * 1024);
});
