/**
 * What does it cost to look for injected blocks in a request, against `JSON.parse` of its body? 5,000 rows, 40 blocks of
 * which all are there. Run: `node bench/receipts.ts [--json]`.
 */
import { readRequest } from "../src/dispatch/document.ts";
import { ReceiptIndex, ReceiptMaker } from "../src/dispatch/receipt.ts";
import { findReceipts } from "../src/dispatch/receipt-search.ts";
import { keyedHash } from "../src/lib/keyed-hash.ts";
import type { JsonObject, WireRequest } from "../src/wire/request.ts";
import { once, race } from "./race.ts";
import { detailOf, type Measurement, report } from "./report.ts";
import { makeSession } from "./session.ts";

const ROUNDS = 21;
const ROWS = 5_000;
const BLOCKS = 40;

const maker = new ReceiptMaker(keyedHash(Buffer.alloc(32, 1)));
const blocks = Array.from(
  { length: BLOCKS },
  (_, n) => `Note ${n} of the memory.\n${`- what is known, part ${n}\n`.repeat(20)}`,
);
const receipts = blocks.map((block) => maker.receiptOf(block)!);

report("receipts", [...(await measure(250)), ...(await measure(1_700))]);

/** @param resultBytes mean length of a tool result; two of three rows hold some */
async function measure(resultBytes: number): Promise<readonly Measurement[]> {
  const session = makeSession({ messagesMax: ROWS - BLOCKS, resultBytes });
  const body = JSON.parse(session.body(ROWS - BLOCKS).toString()) as { messages: JsonObject[] };
  // One block every 124 rows, half of them merged with other words.
  blocks.forEach((block, n) => {
    const content = n % 2 === 0 ? block : `Go on.\n<system-reminder>\n${block}\n</system-reminder>`;
    body.messages.splice(n * 124, 0, { role: "user", content });
  });
  const text = JSON.stringify(body);
  const name = `${(text.length / 1e6).toPrecision(2)} MB`;
  let request: WireRequest = readRequest("anthropic-messages", body);
  let index = new ReceiptIndex(maker, receipts);
  const search = () => {
    const { length } = findReceipts(request, index);
    if (length !== BLOCKS) throw new Error(`${length} of ${BLOCKS} blocks were found`);
  };
  const fresh = await race(
    { search: once(search), parse: once(() => JSON.parse(text)) },
    {
      rounds: ROUNDS,
      warmUps: 5,
      // Nothing is known of the rows, and their texts are as a parser leaves them.
      prepare() {
        index = new ReceiptIndex(maker, receipts);
        request = readRequest("anthropic-messages", JSON.parse(text));
      },
    },
  );
  const turn = await race(
    { search: once(search), parse: once(() => JSON.parse(text)) },
    {
      rounds: ROUNDS,
      warmUps: 5,
      prepare() {
        const messages = request.body.messages as readonly JsonObject[];
        const more = [
          ...messages,
          { role: "assistant", content: "Yes." },
          { role: "user", content: text.slice(0, 2_000) },
        ];
        request = readRequest("anthropic-messages", { ...request.body, messages: more }, request.rows);
      },
    },
  );
  const milliseconds = fresh.microseconds("search") / 1000;
  return [
    { id: "BM-R1", name: `ms to find ${BLOCKS} blocks in ${ROWS} unknown rows, ${name}`, value: milliseconds, max: 5 },
    {
      id: "-",
      name: `the same / JSON.parse, ${name}`,
      value: fresh.ratio("search", "parse"),
      detail: detailOf(fresh, "search", "parse"),
    },
    {
      id: "-",
      name: `two more rows / JSON.parse, ${name}`,
      value: turn.ratio("search", "parse"),
      detail: detailOf(turn, "search", "parse"),
    },
  ];
}
