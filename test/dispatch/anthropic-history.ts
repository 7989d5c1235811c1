/** Random histories of an agent, legal ones and broken ones, for a model with and one without system rows in between. */
import fc from "fast-check";
import { assistant, type BodyRow, call, image, request, result, text, thinking, user } from "./anthropic-body.ts";

interface Exchange {
  readonly words: string;
  readonly calls: number;
  readonly thinks: "aloud" | "hidden" | null;
  /** A search that the provider ran inside the turn. */
  readonly searches: boolean;
  /** The assistant turn in two rows, and its results in one row each. */
  readonly apart: boolean;
  readonly split: boolean;
  readonly behind: boolean;
  readonly shows: boolean;
  readonly results: "words" | "blocks" | "picture" | "error" | "nothing";
  readonly note: boolean;
  readonly marked: boolean;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  words: fc.constantFrom("one", "two", "three \u{1f600}", "four  "),
  calls: fc.nat({ max: 3 }),
  thinks: fc.constantFrom("aloud", "hidden", null),
  searches: fc.boolean(),
  apart: fc.boolean(),
  split: fc.boolean(),
  behind: fc.boolean(),
  shows: fc.boolean(),
  results: fc.constantFrom("words", "blocks", "picture", "error", "nothing"),
  note: fc.boolean(),
  marked: fc.boolean(),
});

/** What the provider takes as many of as there are, and no more. */
const MARKERS_MAX = 4;

/** Legal: every call is answered at once, in any order, in one row or several, with text behind or without. */
export const legalHistory: fc.Arbitrary<{ messages: readonly BodyRow[] }> = fc
  .tuple(fc.array(exchange, { minLength: 1, maxLength: 6 }), fc.constantFrom("claude-sonnet-4-5", "claude-opus-4-8"))
  .map(([exchanges, model]) => {
    const withNotes = model === "claude-opus-4-8";
    const messages = exchanges.flatMap((one, turn) =>
      rowsOf({ ...one, note: one.note && withNotes, marked: one.marked && turn < MARKERS_MAX }, turn),
    );
    return request(messages, { model }) as { messages: readonly BodyRow[] };
  });

function rowsOf(
  { words, calls, thinks, searches, apart, split, behind, shows, results, note, marked }: Exchange,
  turn: number,
): BodyRow[] {
  const ids = Array.from({ length: calls }, (_, index) => `call_${turn}_${index}`);
  const marker = marked ? { cache_control: { type: "ephemeral" } } : {};
  const asked = shows ? [image(8, 8), { ...text(words.trim()), ...marker }] : words.trim();
  const thought = thinks === "aloud" ? [thinking(`${turn}`)] : [{ type: "redacted_thinking", data: `hidden-${turn}` }];
  const spoken = [...(thinks === null ? [] : thought), ...(searches ? search(turn) : []), text(words)];
  const said =
    apart && calls > 0 ? [assistant(spoken), assistant(ids.map(call))] : [assistant([...spoken, ...ids.map(call)])];
  const rows = [user(asked), ...(note ? [{ role: "system", content: "a note" }] : []), ...said];
  if (calls === 0) return [...rows, user("next")];
  const answers = ids.toReversed().map((id) => answerOf(id, results));
  const tail = behind ? [text("by the way")] : [];
  if (split) return [...rows, ...answers.map((one) => user([one])), ...(behind ? [user(tail)] : [])];
  return [...rows, user([...answers, ...tail])];
}

function search(turn: number): object[] {
  const id = `srvtoolu_${turn}`;
  const found = [{ type: "web_search_result", url: "https://example.org", title: "jars", encrypted_content: "sealed" }];
  return [
    { type: "server_tool_use", id, name: "web_search", input: { query: "jars" } },
    { type: "web_search_tool_result", tool_use_id: id, content: found },
  ];
}

function answerOf(id: string, kind: Exchange["results"]): object {
  const words = `result of ${id}`;
  if (kind === "nothing") return { type: "tool_result", tool_use_id: id };
  if (kind === "error") return { ...result(id, words), is_error: true };
  if (kind === "words") return result(id, words);
  return { ...result(id), content: [text(words), ...(kind === "picture" ? [image(8, 8)] : [])] };
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
  if ("id" in block && "type" in block && block.type === "tool_use") return { ...block, id: `${String(block.id)}|fc` };
  return "tool_use_id" in block && "type" in block && block.type === "tool_result"
    ? { ...block, tool_use_id: `${String(block.tool_use_id)}|fc` }
    : block;
}
