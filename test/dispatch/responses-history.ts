/** Random Responses inputs, legal ones and broken ones, for the model gpt-5.5 with nothing stored. */
import fc from "fast-check";
import {
  call,
  developer,
  type Item,
  output,
  type ResponsesBody,
  reasoning,
  request,
  said,
  user,
} from "./responses-body.ts";

interface Exchange {
  readonly words: string;
  readonly calls: number;
  /** Reasoning once, with or without an id, or in front of each call. */
  readonly thinks: "once" | "nameless" | "each" | null;
  readonly named: boolean;
  readonly between: boolean;
  readonly note: boolean;
  /** A picture from the user, and one from the tool. */
  readonly shows: boolean;
  readonly pictures: boolean;
  /** The user speaks in two items. */
  readonly twice: boolean;
  /** A search that the provider ran. */
  readonly searches: boolean;
  /** Each output directly behind its call. */
  readonly inTurn: boolean;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  words: fc.constantFrom("one", "two \u{1f600}", ""),
  calls: fc.nat({ max: 3 }),
  thinks: fc.constantFrom("once", "nameless", "each", null),
  named: fc.boolean(),
  between: fc.boolean(),
  note: fc.boolean(),
  shows: fc.boolean(),
  pictures: fc.boolean(),
  twice: fc.boolean(),
  searches: fc.boolean(),
  inTurn: fc.boolean(),
});

const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };

/** Legal: every call has its output somewhere behind it, all reasoning leads to something, ids occur once. */
export const legalInput: fc.Arbitrary<ResponsesBody> = fc
  .array(exchange, { minLength: 1, maxLength: 6 })
  .map((exchanges) => request(exchanges.flatMap(itemsOf)));

function itemsOf(one: Exchange, turn: number): Item[] {
  const { words, calls, thinks, named, between, note, shows, pictures, twice, searches, inTurn } = one;
  const id = (prefix: string, at: number) => (named ? { id: `${prefix}_${turn}_${at}` } : {});
  const asked = shows
    ? { role: "user", content: [{ type: "input_text", text: "look at this" }, picture] }
    : user(words);
  const thought = thinks === "once" ? [reasoning(`rs_${turn}`)] : thinks === "nameless" ? [reasoning(null)] : [];
  const search = {
    type: "web_search_call",
    id: `ws_${turn}`,
    status: "completed",
    action: { type: "search", query: "jars" },
  };
  const items = [
    ...[asked, ...(twice ? [user("and quickly")] : []), ...(note ? [developer("a note")] : [])],
    ...[...thought, ...(searches ? [search] : [])],
  ];
  if (calls === 0) return [...items, said("well", id("msg", 0)), user("next")];
  const callIds = Array.from({ length: calls }, (_, index) => `call_${turn}_${index}`);
  const called = callIds.map((callId, index) => [
    ...(thinks === "each" ? [reasoning(`rs_${turn}_${index}`)] : []),
    call(callId, id("fc", index)),
  ]);
  const outputs = callIds.map((callId) => {
    const found = `result of ${callId}`;
    return output(callId, pictures ? [{ type: "input_text", text: found }, picture] : found);
  });
  const reading = between ? [said("reading", id("msg", 1))] : [];
  if (inTurn) return [...items, ...called.flatMap((part, index) => [...part, outputs[index]!]), ...reading];
  return [...items, ...called.flat(), ...reading, ...outputs.toReversed()];
}

/** Ways in which agents damage an input, each on the whole list of items. */
export const damage: fc.Arbitrary<(items: readonly Item[]) => readonly Item[]> = fc.oneof(
  at((items, index) => items.toSpliced(index, 1)),
  at((items, index) => items.toSpliced(index, 0, ...(items[index]!.type === "function_call" ? [] : [items[index]!]))),
  at((items, index) => items.toSpliced(index, 0, user("a steer message"))),
  at((items, index) => items.toSpliced(index, 0, output("call_0_0", "an odd result"))),
  at((items, index) => items.toSpliced(index, 0, output(`call_${"x".repeat(70)}`, "an odd result"))),
  at((items, index) => items.toSpliced(index, 0, call(`call_${"y".repeat(70)}`))),
  at((items, index) => items.toSpliced(index, 0, reasoning("rs_stray"))),
  at((items, index) => items.toSpliced(index, 0, reasoning("rs_bare", { encrypted_content: undefined }))),
  at((items, index) => items.toSpliced(index, 0, said("a stray reply", { id: "gen-1" }))),
  at((items, index) => items.toSpliced(index, 0, call("call_odd", { name: "read\0" }))),
  at((items, index) => items.toSpliced(index, 2, ...items.slice(index, index + 2).toReversed())),
  at((items, index) => items.slice(index)),
  at((items, index) => items.slice(0, index + 1)),
  at((items, index) => items.filter(({ type }, position) => position !== index || type !== "function_call")),
  at((items, index) => items.with(index, { ...items[index]!, id: "msg_1" })),
);

function at(change: (items: readonly Item[], index: number) => readonly Item[]) {
  return fc
    .nat()
    .map((seed) => (items: readonly Item[]) => (items.length === 0 ? items : change(items, seed % items.length)));
}
