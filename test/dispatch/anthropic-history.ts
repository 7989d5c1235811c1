/** Random histories of an agent, legal ones and broken ones, for the model claude-sonnet-4-5. */
import fc from "fast-check";
import { assistant, type BodyRow, call, request, result, text, thinking, user } from "./anthropic-body.ts";

type Exchange = {
  readonly words: string;
  readonly calls: number;
  readonly thinks: boolean;
  readonly split: boolean;
  readonly behind: boolean;
};

const exchange: fc.Arbitrary<Exchange> = fc.record({
  words: fc.constantFrom("one", "two", "three \u{1f600}", "four  "),
  calls: fc.nat({ max: 3 }),
  thinks: fc.boolean(),
  split: fc.boolean(),
  behind: fc.boolean(),
});

/** Legal: every call is answered at once, in any order, in one row or several, with text behind or without. */
export const legalHistory: fc.Arbitrary<{ messages: readonly BodyRow[] }> = fc
  .array(exchange, { minLength: 1, maxLength: 6 })
  .map((exchanges) => request(exchanges.flatMap(rowsOf)) as { messages: readonly BodyRow[] });

function rowsOf({ words, calls, thinks, split, behind }: Exchange, turn: number): BodyRow[] {
  const ids = Array.from({ length: calls }, (_, index) => `call_${turn}_${index}`);
  const spoken = [...(thinks ? [thinking(`${turn}`)] : []), text(words), ...ids.map(call)];
  const rows = [user(words.trim()), assistant(spoken)];
  if (calls === 0) return [...rows, user("next")];
  const results = ids.toReversed().map((id) => result(id, `result of ${id}`));
  const tail = behind ? [text("by the way")] : [];
  if (split) return [...rows, ...results.map((one) => user([one])), ...(behind ? [user(tail)] : [])];
  return [...rows, user([...results, ...tail])];
}

/** Ways in which agents damage a history, each on the whole list of rows. */
export const damage: fc.Arbitrary<(rows: readonly BodyRow[]) => readonly BodyRow[]> = fc.oneof(
  at((rows, index) => rows.toSpliced(index, 1)),
  at((rows, index) => rows.toSpliced(index, 0, rows[index]!)),
  at((rows, index) => rows.toSpliced(index, 0, user("a steer message"))),
  at((rows, index) => rows.toSpliced(index, 0, assistant([text("a stray reply")]))),
  at((rows, index) => rows.toSpliced(index, 2, ...rows.slice(index, index + 2).toReversed())),
  at((rows, index) => rows.slice(index)),
  at((rows, index) => rows.slice(0, index + 1)),
  atBlock((blocks, index) => blocks.toSpliced(index, 1)),
  atBlock((blocks, index) => blocks.toSpliced(index, 0, text("spliced in"))),
  atBlock((blocks, index) => blocks.toSpliced(index, 0, text(""))),
  atBlock((blocks, index) => blocks.toSpliced(index, 0, blocks[index]!)),
  atBlock((blocks) => blocks.toReversed()),
  atBlock((blocks, index) => blocks.with(index, renamed(blocks[index]!))),
);

function at(change: (rows: readonly BodyRow[], index: number) => readonly BodyRow[]) {
  return fc
    .nat()
    .map((seed) => (rows: readonly BodyRow[]) => (rows.length === 0 ? rows : change(rows, seed % rows.length)));
}

function atBlock(change: (blocks: readonly object[], index: number) => readonly object[]) {
  return fc.tuple(fc.nat(), fc.nat()).map(([rowSeed, blockSeed]) => (rows: readonly BodyRow[]) => {
    const index = rowSeed % Math.max(1, rows.length);
    const row = rows[index];
    if (row === undefined || typeof row.content === "string" || row.content.length === 0) return rows;
    return rows.with(index, { ...row, content: change(row.content, blockSeed % row.content.length) });
  });
}

/** A composite id of another api, on this block only. */
function renamed(block: object): object {
  if ("id" in block) return { ...block, id: `${String(block.id)}|fc` };
  return "tool_use_id" in block ? { ...block, tool_use_id: `${String(block.tool_use_id)}|fc` } : block;
}
