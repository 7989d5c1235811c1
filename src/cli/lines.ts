/** Lines of a byte stream, split at 0x0A only: other line separators may stand inside a JSON string. */

export interface Line {
  /** One-based. */
  readonly number: number;
  /** Without the line break; null where the line is longer than the limit. */
  readonly bytes: Buffer | null;
}

export async function* splitLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let size = 0;
  const finish = (): Line => {
    const bytes = size > bytesMax ? null : trimReturn(Buffer.concat(parts));
    parts = [];
    size = 0;
    return { number: number++, bytes };
  };
  const collect = (part: Buffer): void => {
    size += part.length;
    if (size > bytesMax) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      collect(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    collect(chunk.subarray(start));
  }
  if (size > 0) yield finish();
}

function trimReturn(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
