import type { ScanProgress } from "../transcripts/scan.ts";
import { describeBytes } from "./output.ts";

/** Faster than this nobody reads, and a slow terminal would slow the scan. */
const showEveryMs = 100;

export interface Progress {
  readonly show: (progress: ScanProgress) => void;
  clear(): void;
}

/** One line on stderr that follows long work; nothing where stderr is no terminal. */
export function openProgress(): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = 0;
  stderr.write("looking for sessions");
  return {
    show: ({ bytes, bytesTotal, sessions }) => {
      const now = performance.now();
      if (now - shownAt < showEveryMs) return;
      shownAt = now;
      const percent = bytesTotal === 0 ? 100 : Math.min(100, Math.floor((bytes / bytesTotal) * 100));
      const line = `reading ${describeBytes(bytes)} of ${describeBytes(bytesTotal)} (${percent} %), ${sessions} sessions`;
      // A line that wraps cannot be taken back.
      stderr.write(`\r\x1b[K${line.slice(0, stderr.columns - 1)}`);
    },
    clear: () => void stderr.write("\r\x1b[K"),
  };
}
