/** Random conversations, written as Gemini, Bedrock Converse and Mistral have them, and what agents do to them. */
import fc from "fast-check";
import * as chat from "./chat-body.ts";
import * as bedrock from "./converse-body.ts";
import * as google from "./google-body.ts";

export type JsonRow = Readonly<Record<string, unknown>>;

interface Exchange {
  readonly words: string;
  readonly calls: number;
  readonly says: boolean;
  readonly further: boolean;
}

const exchanges: fc.Arbitrary<readonly Exchange[]> = fc.array(
  fc.record({
    words: fc.constantFrom("one", "two \u{1f600}"),
    calls: fc.nat(3),
    says: fc.boolean(),
    further: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

export interface OtherApi {
  readonly rowsName: string;
  readonly legal: fc.Arbitrary<{ readonly [name: string]: unknown }>;
  /** Rows that do not belong where they are put. */
  readonly strays: readonly JsonRow[];
}

export const OTHER_APIS = {
  google: {
    rowsName: "contents",
    legal: exchanges.map((all) => ({ ...google.request([...all.flatMap(contentsOf), google.user("next")]) })),
    strays: [
      google.user(google.response("an odd result")),
      google.user("a steer message"),
      google.model("a stray reply"),
      google.model(google.call("list")),
      google.user({}),
      google.user(google.response("an odd result", "list"), "a steer message"),
    ] as unknown as JsonRow[],
  },
  converse: {
    rowsName: "messages",
    legal: exchanges.map((all) => ({ ...bedrock.request([...all.flatMap(messagesOf), bedrock.user("next")]) })),
    strays: [
      bedrock.user(bedrock.result("x", "an odd result")),
      bedrock.user(bedrock.result("c00", "an odd result")),
      bedrock.user("a steer message"),
      bedrock.user(" "),
      bedrock.assistant("a stray reply"),
      bedrock.assistant(bedrock.call("x"), bedrock.call("x")),
      bedrock.assistant(bedrock.reasoning("a thought", "c2VhbA==")),
      { role: "user", content: [] },
    ] as unknown as JsonRow[],
  },
  mistral: {
    rowsName: "messages",
    legal: exchanges.map((all) => ({ ...chat.request([...all.flatMap(rowsOf), chat.user("next")]) })),
    strays: [
      chat.answer("xxxxxxxxx", "an odd result"),
      chat.answer("call_x", "an odd result"),
      chat.user("a steer message"),
      chat.assistant("a stray reply"),
      chat.calling(["zzzzzzzzz"]),
    ] as unknown as JsonRow[],
  },
} satisfies Record<string, OtherApi>;

const ids = (turn: number, calls: number) => Array.from({ length: calls }, (_, index) => `c${turn}${index}`);

function contentsOf({ words, calls, says, further }: Exchange, turn: number): google.Content[] {
  if (calls === 0) return [google.user(words), google.model("well")];
  const all = ids(turn, calls);
  const asked = google.model(...(says ? ["I look."] : []), ...all.map(() => google.call()));
  const answered = google.user(...all.map((id) => google.response(`result of ${id}`)));
  return [google.user(words), asked, answered, ...(further ? [google.model("well")] : [])];
}

function messagesOf({ words, calls, says }: Exchange, turn: number): bedrock.Message[] {
  if (calls === 0) return [bedrock.user(words), bedrock.assistant("well")];
  const all = ids(turn, calls);
  return [
    bedrock.user(words),
    bedrock.assistant(...(says ? ["I look."] : []), ...all.map(bedrock.call)),
    bedrock.user(...all.toReversed().map((id) => bedrock.result(id, `result of ${id}`))),
    bedrock.assistant("well"),
  ];
}

function rowsOf({ words, calls }: Exchange, turn: number): chat.ChatRow[] {
  if (calls === 0) return [chat.user(words), chat.assistant("well")];
  const all = ids(turn, calls).map((id) => `${id}abcdef`);
  const answers = all.toReversed().map((id) => chat.answer(id, `result of ${id.slice(0, 3)}`));
  return [chat.user(words), chat.calling(all), ...answers, chat.assistant("well")];
}

/** Ways in which agents damage a history, each on the whole list of rows. */
export function damageOf({ strays }: OtherApi): fc.Arbitrary<(rows: readonly JsonRow[]) => readonly JsonRow[]> {
  return fc.oneof(
    at((rows, index) => rows.toSpliced(index, 1)),
    at((rows, index) => rows.toSpliced(index, 0, rows[index]!)),
    at((rows, index) => rows.toSpliced(index, 2, ...rows.slice(index, index + 2).toReversed())),
    at((rows, index) => rows.slice(index)),
    at((rows, index) => rows.slice(0, index + 1)),
    at((rows, index) => rows.with(index, withoutFirstBlock(rows[index]!))),
    fc.constantFrom(...strays).chain((stray) => at((rows, index) => rows.toSpliced(index, 0, stray))),
  );
}

/** One call or one result of several is lost. */
function withoutFirstBlock(row: JsonRow): JsonRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? value.slice(1) : value]),
  );
}

function at(change: (rows: readonly JsonRow[], index: number) => readonly JsonRow[]) {
  return fc
    .nat()
    .map((seed) => (rows: readonly JsonRow[]) => (rows.length === 0 ? rows : change(rows, seed % rows.length)));
}
