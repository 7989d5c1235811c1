/** Moves a damaged database aside with its log. Nothing is deleted: `sqlite3 NAME.damaged-1 .recover` may still read it. */
import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { storeError } from "../store-error.ts";

/** So many damaged databases mean a broken disk; making more would only fill it. */
const quarantinedFilesMax = 20;
const companions = ["", "-wal", "-shm"];

export function quarantineFile(path: string): void {
  const present = companions.filter((suffix) => existsSync(path + suffix));
  if (present.length === 0) return;
  for (let n = 1; n <= quarantinedFilesMax; n += 1) {
    const target = `${path}.damaged-${n}`;
    if (companions.some((suffix) => existsSync(target + suffix))) continue;
    for (const suffix of present) renameSync(path + suffix, target + suffix);
    return;
  }
  throw storeError("store_damaged", path, `it is damaged, and ${quarantinedFilesMax} damaged ones lie beside it`);
}

export function quarantinedFiles(path: string): readonly string[] {
  const start = `${basename(path)}.damaged-`;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(start) && !/-(wal|shm)$/.test(name));
  return names.sort().map((name) => join(dirname(path), name));
}
