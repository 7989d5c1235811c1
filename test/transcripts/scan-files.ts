/** Writes session files into a folder of their own and scans them, as the program does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { PriceTable } from "../../src/cache/price.ts";
import { findSources } from "../../src/transcripts/find-sources.ts";
import { scan } from "../../src/transcripts/scan.ts";
import { toScanDocument } from "../../src/transcripts/scan-document.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function makeFolder(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-scan-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

export interface ScanFilesOptions {
  readonly now?: number;
  readonly prices?: PriceTable;
}

export async function scanPath(path: string, { now = Date.now(), prices = new PriceTable() }: ScanFilesOptions = {}) {
  const found = await findSources([path], { agent: undefined, since: 0 });
  return toScanDocument(await scan(found, { prices, now, since: 0, onProgress: () => {} }));
}

export async function scanFiles(files: Files, options: ScanFilesOptions = {}) {
  return await scanPath(makeFolder(files), options);
}

export function toLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
