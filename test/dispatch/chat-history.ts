/** Random Chat Completions histories, legal ones and broken ones, for the model gpt-4.1. */
import fc from "fast-check";
import { answer, assistant, type ChatBody, type ChatRow, call, calling, request, system, user } from "./chat-body.ts";

type Exchange = {
  readonly words: string;
  readonly calls: number;
  readonly says: string | null;
  readonly note: boolean;
  readonly sharedIds: boolean;
};

const exchange: fc.Arbitrary<Exchange> = fc.record({
  words: fc.constantFrom("one", "two \u{1f600}", "", "three  "),
  calls: fc.nat({ max: 3 }),
  says: fc.constantFrom(null, "", "I look."),
  note: fc.boolean(),
  sharedIds: fc.boolean(),
});

/** Legal: every call is answered directly behind it, in any order; ids may come again in a later turn. */
export const legalHistory: fc.Arbitrary<ChatBody> = fc
  .array(exchange, { minLength: 1, maxLength: 6 })
  .map((exchanges) => request([system("be brief"), ...exchanges.flatMap(rowsOf)]));

function rowsOf({ words, calls, says, note, sharedIds }: Exchange, turn: number): ChatRow[] {
  const ids = Array.from({ length: calls }, (_, index) => (sharedIds ? `call_${index}` : `call_${turn}_${index}`));
  const rows = [user(words), ...(note ? [system("a note")] : [])];
  if (calls === 0) return [...rows, assistant(says ?? "well"), user("next")];
  const answers = ids.toReversed().map((id, index) => answer(id, `result ${turn}.${index}`));
  return [...rows, calling(ids, { content: says }), ...answers];
}

/** Ways in which agents damage a history, each on the whole list of rows. */
export const damage: fc.Arbitrary<(rows: readonly ChatRow[]) => readonly ChatRow[]> = fc.oneof(
  at((rows, index) => rows.toSpliced(index, 1)),
  at((rows, index) => rows.toSpliced(index, 0, rows[index]!)),
  at((rows, index) => rows.toSpliced(index, 0, user("a steer message"))),
  at((rows, index) => rows.toSpliced(index, 0, system("a late note"))),
  at((rows, index) => rows.toSpliced(index, 0, assistant("a stray reply"))),
  at((rows, index) => rows.toSpliced(index, 0, { role: "assistant", content: null })),
  at((rows, index) => rows.toSpliced(index, 0, answer("call_0_0", "an odd result"))),
  at((rows, index) => rows.toSpliced(index, 0, calling(["call_0_0"]))),
  at((rows, index) => rows.toSpliced(index, 2, ...rows.slice(index, index + 2).toReversed())),
  at((rows, index) => rows.toSpliced(index, 3, ...rows.slice(index, index + 3).toReversed())),
  at((rows, index) => rows.slice(index)),
  at((rows, index) => rows.slice(0, index + 1)),
  at((rows, index) => rows.with(index, { ...rows[index]!, content: null })),
  at((rows, index) => rows.with(index, renamed(rows[index]!))),
);

function at(change: (rows: readonly ChatRow[], index: number) => readonly ChatRow[]) {
  return fc
    .nat()
    .map((seed) => (rows: readonly ChatRow[]) => (rows.length === 0 ? rows : change(rows, seed % rows.length)));
}

/** A composite id of another api, on this side only. */
function renamed(row: ChatRow): ChatRow {
  if (row.tool_calls !== undefined) return { ...row, tool_calls: [call("call_0_0|fc_1"), ...row.tool_calls.slice(1)] };
  return row.tool_call_id === undefined ? row : { ...row, tool_call_id: `${row.tool_call_id}|fc_1` };
}
