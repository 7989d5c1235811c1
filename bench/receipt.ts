/**
 * How long does it take to find injected blocks in a history, against `JSON.parse` of its body, and again when only the
 * tail is new? Run: `node bench/receipt.ts [--json]`.
 * 5,000 rows and 40 blocks. The unfriendly history has lines that begin as the blocks do.
 */
import { ReceiptIndex, ReceiptMaker } from "../src/dispatch/receipt.ts";
import { findReceipts } from "../src/dispatch/receipt-search.ts";
import { keyedHash } from "../src/lib/keyed-hash.ts";
import { readAnthropicRequest } from "../src/wire/anthropic-messages/request.ts";
import { once, race } from "./race.ts";
import { detailOf, report } from "./report.ts";

const ROWS = 5_000;
const BLOCKS = 40;
const ROUNDS = 25;
const MS_MAX = 5;

const maker = new ReceiptMaker(keyedHash(Buffer.alloc(32, 7)));
const blocks = Array.from(
  { length: BLOCKS },
  (_, nth) => `Notes ${nth} on the garden:\n- the jars are in cellar ${nth}`,
);
const receipts = blocks.map((block) => maker.receiptOf(block)!);

const measured = [];
for (const [name, line] of [
  ["plain", "a line of a file that some tool has read"],
  ["unfriendly", "Notes 1 on the garden, as somebody else would write them"],
] as const) {
  const rows = makeRows(line);
  const bytes = Buffer.from(JSON.stringify(bodyOf(rows)));
  const request = readAnthropicRequest(bodyOf(rows));
  const alone = readAnthropicRequest(bodyOf(rows));
  let grown = request;
  let index = new ReceiptIndex(maker, receipts);
  const both = await race(
    {
      // A new index starts from the beginning.
      whole: once(() => findReceipts(alone, new ReceiptIndex(maker, receipts))),
      tail: once(() => findReceipts(grown, index)),
      parse: once(() => JSON.parse(bytes.toString())),
    },
    {
      rounds: ROUNDS,
      warmUps: 8,
      prepare: (round) => {
        index = new ReceiptIndex(maker, receipts);
        findReceipts(request, index);
        grown = readAnthropicRequest(bodyOf([...rows, { role: "user", content: `And now, ${round}?` }]), request.rows);
        if (findReceipts(request, index).length !== BLOCKS) throw new Error("not all blocks were found");
      },
    },
  );
  const megabytes = (bytes.length / 1e6).toFixed(1);
  measured.push(
    {
      ...{ id: "-", name: `${name}: ${BLOCKS} blocks in ${ROWS} rows, milliseconds`, max: MS_MAX },
      value: both.microseconds("whole") / 1000,
    },
    {
      ...{ id: "-", name: `${name}: whole history / JSON.parse of its ${megabytes} MB` },
      ...{ value: both.ratio("whole", "parse"), detail: detailOf(both, "whole", "parse") },
    },
    {
      ...{ id: "-", name: `${name}: one new row / JSON.parse of all` },
      ...{ value: both.ratio("tail", "parse"), detail: detailOf(both, "tail", "parse") },
    },
  );
}
report("receipt", measured);

function makeRows(line: string): { role: string; content: string }[] {
  return Array.from({ length: ROWS }, (_, at) => {
    // In the user's rows: what the model says is not looked at.
    const block = at % 124 === 0 && at / 124 < BLOCKS ? `${blocks[at / 124]}\n` : "";
    return { role: at % 2 === 0 ? "user" : "assistant", content: `${block}row ${at}\n${`${line}\n`.repeat(20)}` };
  });
}

function bodyOf(messages: readonly { role: string; content: string }[]) {
  return { model: "claude-sonnet-4-5", max_tokens: 64, messages };
}
