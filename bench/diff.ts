/**
 * How long does a comparison take, against `JSON.parse` of the two bodies? Run: `node bench/diff.ts`.
 * Two requests of one session: the common case (a new turn), a break in front of everything, and a cut history, at three sizes.
 */
import { diffRequests } from "../src/report/diff/diff-requests.ts";
import { openSessionRequest } from "../src/report/diff/session-request.ts";

/** The scan of the places is most of it; a comparison is no hot path, so a few times the parse is fine. */
const ratioMax = 15;
/** Cost per byte may not grow with the size. */
const growthMax = 2;

type Row = Readonly<Record<string, unknown>>;

const results = [200, 1_000, 5_000].flatMap((kilobytes) =>
  [...makePairs(kilobytes * 1_000)].map(([name, before, after]) => ({
    kilobytes,
    name,
    ratio: measure(before, after),
  })),
);
for (const { kilobytes, name, ratio } of results) {
  console.log(`${String(kilobytes).padStart(5)} KB  ${name.padEnd(16)} ${ratio.toFixed(1)} × JSON.parse of both`);
}
const [smallest, largest] = [200, 5_000].map((size) =>
  Math.max(...results.filter((row) => row.kilobytes === size).map(({ ratio }) => ratio)),
);
console.log(`growth from 200 KB to 5 MB: ${(largest! / smallest!).toFixed(2)} (at most ${growthMax})`);
process.exitCode = largest! <= ratioMax && largest! / smallest! <= growthMax ? 0 : 1;

function* makePairs(bytes: number): Generator<readonly [name: string, before: Buffer, after: Buffer]> {
  const rows = makeRows(bytes);
  const before = encode("It is 2026-03-14 09:26.", rows);
  yield ["new turn", before, encode("It is 2026-03-14 09:26.", [...rows, { role: "user", content: "And now?" }])];
  yield ["clock in front", before, encode("It is 2026-03-14 09:27.", rows)];
  yield [
    "history cut",
    before,
    encode("It is 2026-03-14 09:26.", [{ role: "user", content: "(cut)" }, ...rows.slice(rows.length >> 1)]),
  ];
}

function makeRows(bytes: number): Row[] {
  const rows: Row[] = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const text = `row ${index}: ${"a line of a file that some tool has read\n".repeat(40)}`;
    rows.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `t${index}`, name: "read", input: { path: `${index}.txt` } }],
    });
    rows.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: text }] });
    size += text.length + 150;
  }
  return rows;
}

function encode(system: string, messages: readonly Row[]): Buffer {
  return Buffer.from(JSON.stringify({ model: "m", max_tokens: 9, system: [{ type: "text", text: system }], messages }));
}

function measure(before: Buffer, after: Buffer): number {
  const compare = time(() => {
    const [was, is] = [before, after].map((bytes) => openSessionRequest(bytes, {}));
    if (was?.kind === "request" && is?.kind === "request") diffRequests(was, is);
  });
  return compare / time(() => [before, after].map((bytes) => JSON.parse(bytes.toString())));
}

/** Best of several rounds, so that a busy machine disturbs less. */
function time(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 12; round++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
