/** Random Chat Completions histories, legal ones and broken ones, for the model gpt-4.1. */
import fc from "fast-check";
import { answer, assistant, type ChatBody, type ChatRow, call, calling, request, system, user } from "./chat-body.ts";

interface Exchange {
  readonly words: string;
  readonly calls: number;
  readonly says: string | null;
  readonly note: boolean;
  readonly sharedIds: boolean;
  /** A picture from the user, a list of parts from the tool. */
  readonly shows: boolean;
  readonly parts: boolean;
  /** The user speaks in two rows. */
  readonly twice: boolean;
  /** A call of a tool that takes free text. */
  readonly custom: boolean;
  readonly reasons: boolean;
  readonly refuses: boolean;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  words: fc.constantFrom("one", "two \u{1f600}", "", "three  "),
  calls: fc.nat({ max: 3 }),
  says: fc.constantFrom(null, "", "I look."),
  note: fc.boolean(),
  sharedIds: fc.boolean(),
  shows: fc.boolean(),
  parts: fc.boolean(),
  twice: fc.boolean(),
  custom: fc.boolean(),
  reasons: fc.boolean(),
  refuses: fc.boolean(),
});

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

/** Legal: every call is answered directly behind it, in any order; ids may come again in a later turn. */
export const legalHistory: fc.Arbitrary<ChatBody> = fc
  .array(exchange, { minLength: 1, maxLength: 6 })
  .map((exchanges) => request([system("be brief"), ...exchanges.flatMap(rowsOf)]));

function rowsOf(one: Exchange, turn: number): ChatRow[] {
  const { words, calls, says, note, sharedIds, shows, parts, twice, custom, reasons, refuses } = one;
  const ids = Array.from({ length: calls }, (_, index) => (sharedIds ? `call_${index}` : `call_${turn}_${index}`));
  const asked = shows ? user([{ type: "text", text: "look at this" }, picture]) : user(words);
  const rows = [asked, ...(twice ? [user("and quickly")] : []), ...(note ? [system("a note")] : [])];
  const reasoning = reasons ? { reasoning_content: "I look first." } : {};
  if (calls === 0) {
    const said = refuses ? { role: "assistant", content: null, refusal: "not that" } : assistant(says ?? "well");
    return [...rows, { ...said, ...reasoning }, user("next")];
  }
  const answers = ids.toReversed().map((id, index) => {
    const found = `result ${turn}.${index}`;
    return answer(id, parts ? [{ type: "text", text: found }] : found);
  });
  const called = ids.map((id, index) => (custom && index === 0 ? freeCall(id) : call(id)));
  return [...rows, calling([], { content: says, tool_calls: called, ...reasoning }), ...answers];
}

function freeCall(id: string): object {
  return { id, type: "custom", custom: { name: "note", input: "eleven jars" } };
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
