/**
 * `holdfast doctor --fix`: what can be put right without a decision of a person. Nothing is deleted: a damaged database is
 * moved aside, a record that cannot be decoded stays in the store and is left out of reads.
 */
import { existsSync } from "node:fs";
import { isHoldfastError } from "../lib/error.ts";
import { plural } from "../report/doctor/doctor-check.ts";
import { compact, findFileDamage, moveDamagedAside, sizeOfFile } from "../report/doctor/sqlite-file.ts";
import { type OwnerFilter, readRecords } from "../report/doctor/store-records.ts";
import { openStore } from "../store/open-store.ts";
import { sqlitePath } from "./doctor-checks.ts";
import { describeBytes } from "./output.ts";

export interface Fix {
  readonly id: "store_moved" | "records_quarantined" | "store_compacted";
  /** What is about to be done, said before it is. */
  readonly before: string;
  /** What became of it. */
  readonly after: string;
}

/** @param say is told each `before` and each `after` when it is true */
export async function fixStore(url: string, whose: OwnerFilter, say: (line: string) => void): Promise<readonly Fix[]> {
  const path = sqlitePath(url);
  if (path !== null && !existsSync(path)) return [];
  const fixes: Fix[] = [];
  const run = async (id: Fix["id"], before: string, work: () => Promise<string> | string) => {
    say(before);
    const after = await outcomeOf(work);
    say(after);
    fixes.push({ id, before, after });
  };
  if (path !== null && findFileDamage(path).length > 0) {
    await run("store_moved", `The database ${path} is damaged: moving it aside.`, () => {
      const moved = moveDamagedAside(path);
      return moved === null
        ? "It is sound after all, and stays."
        : `It lies at ${moved} now; a new one is in its place.`;
    });
  }
  const store = await openStore(url);
  try {
    const { undecodable } = await readRecords(store, whose);
    if (undecodable.length > 0) {
      const streams = new Set(undecodable.map(({ owner, stream }) => JSON.stringify([owner, stream]))).size;
      const found = `${plural(undecodable.length, "record")} of ${plural(streams, "stream")} can't be decoded: putting aside.`;
      await run("records_quarantined", found, async () => {
        for (const one of undecodable) await store.quarantine(one.owner, one.stream, one.version, "undecodable");
        return "They stay in the store, and are left out from now on.";
      });
    }
  } finally {
    await store.close();
  }
  if (path !== null) {
    await run(
      "store_compacted",
      `The store has ${describeBytes(sizeOfFile(path))}: writing its log back and giving free pages away.`,
      () => {
        compact(path);
        return `It has ${describeBytes(sizeOfFile(path))}.`;
      },
    );
  }
  return fixes;
}

async function outcomeOf(work: () => Promise<string> | string): Promise<string> {
  try {
    return await work();
  } catch (error) {
    // Expected: a store that another program holds, or a full disk. The rest can be put right all the same.
    if (!isHoldfastError(error)) throw error;
    return `Not done. ${error.message}`;
  }
}
