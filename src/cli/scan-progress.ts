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
  return {
    show: ({ bytes, bytesTotal, sessions }) => {
      const now = performance.now();
      if (now - shownAt < showEveryMs) return;
      shownAt = now;
      const percent = bytesTotal === 0 ? 100 : Math.min(100, Math.floor((bytes / bytesTotal) * 100));
      stderr.write(
        `\r\x1b[Kreading ${describeBytes(bytes)} of ${describeBytes(bytesTotal)} (${percent} %), ${sessions} sessions`,
      );
    },
    clear: () => void stderr.write("\r\x1b[K"),
  };
}
