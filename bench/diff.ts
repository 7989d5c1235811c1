/**
 * How long does a comparison take, against `JSON.parse` of the two bodies?
 * Run: `node bench/diff.ts [--json]`.
 * Two requests of one session: the common case (a new turn), a break in front of everything, and a cut history, at three sizes.
 */
import { diffRequests } from "../src/report/diff/diff-requests.ts";
import { openSessionRequest } from "../src/report/diff/session-request.ts";
import { type Contest, runContests } from "./contest.ts";
import { once } from "./race.ts";
import { report } from "./report.ts";

const ROUNDS = 15;

/** The scan of the places is most of it; a comparison is no hot path, so a few times the parse is fine. */
const RATIO_MAX = 15;
/** Cost per byte may not grow with the size. */
const GROWTH_MAX = 2;

const KILOBYTES = [200, 1_000, 5_000] as const;

type Row = Readonly<Record<string, unknown>>;

const contests = KILOBYTES.flatMap((kilobytes) =>
  [...makePairs(kilobytes * 1_000)].map(([name, before, after]): Contest & { readonly kilobytes: number } => ({
    id: "-",
    name: `${name} / JSON.parse of both, ${kilobytes} KB`,
    kilobytes,
    max: RATIO_MAX,
    left: once(() => compare(before, after)),
    right: once(() => [before, after].map((bytes) => JSON.parse(bytes.toString()))),
  })),
);
const measured = await runContests(contests, ROUNDS);
const [smallest, largest] = [KILOBYTES[0], KILOBYTES[2]].map((size) =>
  Math.max(...measured.filter((_, at) => contests[at]!.kilobytes === size).map(({ value }) => value)),
);
report("diff", [
  ...measured,
  { id: "-", name: "growth of the ratio from 200 KB to 5 MB", value: largest! / smallest!, max: GROWTH_MAX },
]);

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

function compare(before: Buffer, after: Buffer): void {
  const [was, is] = [before, after].map((bytes) => openSessionRequest(bytes, {}));
  if (was?.kind === "request" && is?.kind === "request") diffRequests(was, is);
}
