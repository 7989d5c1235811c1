/**
 * A folder for copies of a person's data that must not outlive the process: it goes when its owner is done, and also
 * where Ctrl-C or a supervisor ends the process in between.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  /** Readable by its owner alone. */
  readonly path: string;
  remove(): void;
}

/** @param name what the folder is for; stands in its path */
export function openTemporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `holdfast-${name}-`));
  const remove = () => {
    for (const signal of SIGNALS) process.off(signal, endBySignal);
    rmSync(path, { recursive: true, force: true });
  };
  const endBySignal = (signal: NodeJS.Signals) => {
    remove();
    // With its listener gone the signal does what it would have done without us.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, endBySignal);
  return { path, remove };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
