/** Of a terminal that does not say how wide it is. */
const COLUMNS = 80;

/** Faster than this nobody reads, and a slow terminal would slow the work. */
const SHOW_EVERY_MS = 100;

export interface Progress {
  /** @param line what to say; asked for only when it is shown */
  show(line: () => string): void;
  clear(): void;
}

/**
 * One line on stderr that follows long work; nothing where stderr is no terminal.
 * @param first what stands there until the first line; nothing where the work may be done at once
 */
export function openProgress(first = ""): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = performance.now();
  let isClear = first === "";
  stderr.write(first);
  return {
    show: (line) => {
      const now = performance.now();
      if (now - shownAt < SHOW_EVERY_MS) return;
      shownAt = now;
      isClear = false;
      // A line that wraps cannot be taken back.
      stderr.write(`\r\x1b[K${line().slice(0, (stderr.columns || COLUMNS) - 1)}`);
    },
    clear: () => {
      if (!isClear) stderr.write("\r\x1b[K");
      isClear = true;
    },
  };
}
