/**
 * Writes `test/corpus/starter` anew from the cases beside this file: `node test/corpus/make-starter.ts`. The key is fixed,
 * so that the same cases give the same bytes: nothing in them is anybody's. What changed in the corpus is seen in the diff.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { CorpusFolder } from "../../src/corpus/corpus-folder.ts";
import { Filler } from "../../src/corpus/filler.ts";
import { RECEIVED_FILE } from "../../src/corpus/fixture.ts";
import { judgeFixture } from "../../src/corpus/judged-fixture.ts";
import { redactBody } from "../../src/corpus/redact.ts";
import { replayCorpus } from "../../src/corpus/replay.ts";
import { updateCorpus } from "../../src/corpus/update-corpus.ts";
import type { BodyRow } from "../dispatch/anthropic-body.ts";
import { damage, legalHistory } from "../dispatch/anthropic-history.ts";
import { comparePositions, type PlainRow } from "./positional-comparer.ts";
import type { StarterCase } from "./starter-case.ts";
import { MOVE_CASES } from "./starter-moves.ts";
import { RULE_CASES } from "./starter-rules.ts";

const folder = new CorpusFolder(join(import.meta.dirname, "starter"));
for (const one of [...RULE_CASES, ...MOVE_CASES, ...sampleHistories()]) writeCase(one);
updateCorpus(folder, replayCorpus(folder));

function writeCase({ id, api, backend, body, prepared, received }: StarterCase): void {
  const filler = new Filler(Buffer.alloc(32, 1));
  const bytes = redact(body, filler);
  const exchanges = received === undefined ? undefined : redact(received, filler);
  const seen = exchanges === undefined ? {} : { received: JSON.parse(exchanges.toString()) as unknown[] };
  const judged = judgeFixture(bytes, { api, backend, ...seen });
  if (judged === null) throw new Error(`${id} can't be judged`);
  const label = prepared === undefined ? {} : { would_refuse: comparePositions(prepared, rowsOf(body)) };
  folder.writeFixture(id, { schema: 1, ...judged, ...label }, bytes);
  if (exchanges !== undefined) writeFileSync(folder.fileOf(id, RECEIVED_FILE), exchanges);
}

function redact(value: unknown, filler: Filler): Buffer {
  const redacted = redactBody(Buffer.from(`${JSON.stringify(value, null, 1)}\n`), filler);
  if (redacted === null) throw new Error("no JSON");
  return Buffer.from(redacted);
}

function rowsOf(body: object): readonly PlainRow[] {
  const { messages, input } = body as { messages?: readonly PlainRow[]; input?: readonly PlainRow[] };
  return messages ?? input ?? [];
}

/** Histories as an agent damages them; a positional guard knows the undamaged ones. */
function sampleHistories(): StarterCase[] {
  const pairs = fc.sample(fc.tuple(legalHistory, damage), { seed: 761, numRuns: 16 });
  return pairs.map(([legal, change], index) => ({
    id: `histories/damaged-${String(index + 1).padStart(2, "0")}`,
    api: "anthropic-messages",
    backend: "anthropic",
    body: { ...legal, messages: change(legal.messages) as readonly BodyRow[] },
    prepared: legal.messages,
  }));
}
