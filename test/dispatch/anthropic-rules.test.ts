/** One minimal illegal body and its legal look-alikes for every Anthropic rule. */
import { expect, test } from "vitest";
import { anthropicRules } from "../../src/dispatch/rules/anthropic-messages.ts";
import { rulesBehind } from "../../src/engine/explain.ts";
import { judgeBody } from "../../src/engine/judge-body.ts";
import { assistant, call, image, request, result, text, thinking, user } from "./anthropic-body.ts";

interface RuleCase {
  readonly rule: string;
  readonly illegal: object;
  /** Other names of the same fault that may be reported beside it. */
  readonly also?: readonly string[];
  /** Words that the repaired body must still hold; null where no faithful repair exists. */
  readonly keeps: readonly string[] | null;
  readonly legal: readonly object[];
}

const many = (count: number, block: object) => Array.from({ length: count }, () => block);
const marked = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } });

/** Rules that one body alone cannot show. */
const STATEFUL = ["A-THINK-11", "A-PREFIX-19"];
/** Rules about what only the server knows: they explain a rejection. */
const EXPLAINING = ["A-THR-29"];
/** Rules whose evidence is not enough for a hard verdict. */
const UNPROVEN = ["A-CC-25", "A-ERRIMG-27"];

const summary = { type: "compaction", content: "what was said", signature: "sealed" };

function rulesOf(body: object): string[] {
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), {});
  if (judged.kind !== "judged") throw new Error(judged.kind);
  return judged.verdict.kind === "unsafe" ? [...new Set(judged.verdict.hard.map(({ rule }) => rule))] : [];
}

const checked = new Set<string>();

function check({ rule, illegal, also = [], keeps, legal }: RuleCase): void {
  checked.add(rule);
  const found = rulesOf(illegal);
  expect(found).toContain(rule);
  expect(found.filter((one) => one !== rule && !also.includes(one))).toEqual([]);
  for (const body of legal) expect(rulesOf(body)).toEqual([]);
  const judged = judgeBody(Buffer.from(JSON.stringify(illegal)), {});
  if (judged.kind !== "judged") throw new Error(judged.kind);
  if (keeps === null) {
    expect(judged.repaired).toBeNull();
    return;
  }
  const repaired = Buffer.from(judged.repaired!);
  expect(rulesOf(JSON.parse(repaired.toString()) as object)).toEqual([]);
  for (const words of keeps) expect(repaired.toString()).toContain(words);
  const again = judgeBody(repaired, {});
  expect(again).toMatchObject({ kind: "judged", repaired: null, outcome: "sent" });
}

test("A-PAIR-1 a call without a result in the next user message", () =>
  check({
    rule: "A-PAIR-1",
    illegal: request([user("go"), assistant([call("a")]), user("stop, please")]),
    keeps: ["stop, please"],
    legal: [
      request([user("go"), assistant([call("a")]), user([result("a"), text("stop, please")])]),
      request([user("go"), assistant([call("a")]), user([result("a")]), user("stop, please")]),
      request([user([result("a")])], { thread: { type: "continue", previous_message_id: "msg_1" } }),
      request([user("go"), assistant([call("a"), { type: "from_the_future", id: "x" }]), user("stop, please")]),
    ],
  }));

test("A-PAIR-1 a missing result has its place in front of a system row that parts two replies", () => {
  const effort = { role: "system", content: "be brief" };
  const replies = [assistant([call("a")]), effort, assistant([text("No answer came.")])];
  check({
    rule: "A-PAIR-1",
    illegal: request([user("go"), effort, ...replies, user("on"), effort], { model: "claude-opus-5-5" }),
    keeps: ["No answer came."],
    legal: [],
  });
});

test("A-PAIR-2 a result without its call in the message before", () =>
  check({
    rule: "A-PAIR-2",
    illegal: request([user("go"), assistant([text("well")]), user([result("a", "twelve candles")])]),
    keeps: ["twelve candles"],
    legal: [request([user("go"), assistant([call("a"), call("b")]), user([result("b"), result("a")])])],
  }));

test("A-LEAD-3 a result behind other content of its message", () =>
  check({
    rule: "A-LEAD-3",
    illegal: request([
      user("go"),
      assistant([call("a"), call("b")]),
      user([result("a"), text("note"), result("b", "nine")]),
    ]),
    also: ["A-PAIR-1"],
    keeps: ["note", "nine"],
    legal: [request([user("go"), assistant([call("a"), call("b")]), user([result("b"), result("a"), text("note")])])],
  }));

test("A-ASST-4 text behind a call in one assistant turn", () =>
  check({
    rule: "A-ASST-4",
    illegal: request([user("go"), assistant([call("a"), text("looking")]), user([result("a")])]),
    keeps: ["looking"],
    legal: [
      request([
        user("go"),
        assistant([text("looking"), call("a")]),
        user([result("a")]),
        assistant([text("done")]),
        user("ok"),
      ]),
    ],
  }));

test("A-ROLE-5 a result in an assistant message", () =>
  check({
    rule: "A-ROLE-5",
    illegal: request([user("go"), assistant([call("a"), result("a", "six carrots")]), user("and?")]),
    also: ["A-PAIR-1"],
    keeps: ["six carrots", "and?"],
    legal: [request([user("go"), assistant([call("a")]), user([result("a")])])],
  }));

test("A-DUP-6 one id for two calls of the history", () =>
  check({
    rule: "A-DUP-6",
    illegal: request([
      user("go"),
      assistant([call("a")]),
      user([result("a", "three")]),
      assistant([call("a")]),
      user([result("a", "four")]),
    ]),
    keeps: ["three", "four"],
    legal: [
      request([user("go"), assistant([call("a")]), user([result("a")]), assistant([call("a2")]), user([result("a2")])]),
    ],
  }));

test("A-DUPRES-7 two results for one call", () =>
  check({
    rule: "A-DUPRES-7",
    illegal: request([
      user("go"),
      assistant([call("a")]),
      user([{ ...result("a", "none"), is_error: true }, result("a", "41 tiles")]),
    ]),
    keeps: ["41 tiles", "none"],
    legal: [request([user("go"), assistant([call("a")]), user([result("a")])])],
  }));

test("A-SRV-8 a server tool call without its result", () =>
  check({
    rule: "A-SRV-8",
    illegal: request([
      user("go"),
      assistant([{ type: "server_tool_use", id: "s", name: "web_search", input: {} }]),
      user("and?"),
    ]),
    keeps: null,
    legal: [
      request([user("go"), assistant([{ type: "server_tool_use", id: "s", name: "web_search", input: {} }])]),
      request([
        user("go"),
        assistant([
          { type: "server_tool_use", id: "s", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "s", content: [] },
          text("found"),
        ]),
        user("and?"),
      ]),
    ],
  }));

test("A-SRV-8 a server tool call behind a call of the client, and a result of another turn's search", () => {
  const called = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const found = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
  const nested = { ...call("a"), caller: { type: "code_execution_20250825", tool_id: "s" } };
  check({
    rule: "A-SRV-8",
    illegal: request([user("go"), assistant([call("a"), called, found]), user([result("a")])]),
    keeps: null,
    legal: [
      request([user("go"), assistant([called, found, call("a")]), user([result("a")])]),
      request([user("go"), assistant([called, nested]), user([result("a")]), assistant([found, text("x")]), user("y")]),
    ],
  });
  check({
    rule: "A-SRV-8",
    illegal: request([
      user("go"),
      assistant([called, found, text("x")]),
      user("again"),
      assistant([{ ...found, tool_use_id: "t" }, text("y")]),
      user("so?"),
    ]),
    keeps: null,
    legal: [],
  });
});

test("A-WS-14 white space in front of an empty last row", () =>
  check({
    rule: "A-WS-14",
    illegal: request([user("go"), assistant([text("Here is ")]), assistant([])]),
    keeps: ["Here is"],
    legal: [request([user("go"), assistant([text("Here is ")]), user("x")])],
  }));

test("A-REF-9 a reference to a tool that is not offered", () =>
  check({
    rule: "A-REF-9",
    illegal: request([
      user("go"),
      assistant([call("a")]),
      user([{ ...result("a"), content: [{ type: "tool_reference", tool_name: "gone" }] }]),
    ]),
    keeps: null,
    legal: [
      request([
        user("go"),
        assistant([call("a")]),
        user([{ ...result("a"), content: [{ type: "tool_reference", tool_name: "read" }] }]),
      ]),
      request([user("go"), assistant([{ ...call("a"), name: "no_longer_offered" }]), user([result("a")])]),
    ],
  }));

test("A-ID-10 an id with foreign characters, on call and result", () =>
  check({
    rule: "A-ID-10",
    illegal: request([user("go"), assistant([call("call|item")]), user([result("call|item", "bright")])]),
    keeps: ["bright"],
    legal: [request([user("go"), assistant([call("call_item-1")]), user([result("call_item-1")])])],
  }));

test("A-NAME-11 a tool name with a dot, a doubled one, an empty call", () =>
  check({
    rule: "A-NAME-11",
    illegal: request([user("go")], { tools: [{ name: "a.b", input_schema: { type: "object" } }] }),
    keeps: null,
    legal: [
      request([user("go")], {
        tools: [{ name: "a-b_1", input_schema: { type: "object" } }, { type: "web_search_20250305" }],
      }),
    ],
  }));

test("A-EMPTY-12 an empty text block, an empty message", () =>
  check({
    rule: "A-EMPTY-12",
    illegal: request([user([text("one"), text(" ")]), assistant([]), user("two")]),
    keeps: ["one", "two"],
    legal: [
      request([user("one"), assistant([call("a")]), user([{ ...result("a"), content: "" }])]),
      request(
        [
          user("one"),
          { role: "system", content: [], output_config: { effort: "high" } },
          assistant([text("x")]),
          user("y"),
        ],
        {
          model: "claude-opus-5-5",
        },
      ),
    ],
  }));

test("A-WS-14 white space at the end of a prefill", () =>
  check({
    rule: "A-WS-14",
    illegal: request([user("go"), assistant([text("the ferry leaves at ")])]),
    keeps: ["the ferry leaves at"],
    legal: [
      request([user("go"), assistant([text("the ferry leaves at")])]),
      request([user("go"), assistant([text("at nine ")]), user("thanks ")]),
    ],
  }));

test("A-UTF-15 half a surrogate pair, a NUL", () =>
  check({
    rule: "A-UTF-15",
    illegal: request([user("go"), assistant([call("a")]), user([result("a", "cut \ud83d and \0 here")])]),
    keeps: ["cut ", " here"],
    legal: [request([user("whole \u{1f600} and \ufffd and \u0001")])],
  }));

test("A-THINK-16 a tool loop without thinking while it is enabled", () =>
  check({
    rule: "A-THINK-16",
    illegal: request([user("go"), assistant([call("a")]), user([result("a", "paint")])], {
      model: "claude-opus-4-1",
      thinking: { type: "enabled", budget_tokens: 1024 },
    }),
    keeps: ["paint"],
    legal: [
      request([user("go"), assistant([call("a")]), user([result("a")])], {
        model: "claude-sonnet-4-5",
        thinking: { type: "enabled", budget_tokens: 1024 },
      }),
      request([user("go"), assistant([call("a")]), user([result("a")]), assistant([text("done")]), user("next")], {
        model: "claude-opus-4-1",
        thinking: { type: "enabled", budget_tokens: 1024 },
      }),
    ],
  }));

test("A-THINK-16 a prefill without thinking while it is enabled", () =>
  check({
    rule: "A-THINK-16",
    illegal: request([user("go"), assistant([text("Here is")])], {
      model: "claude-opus-4-1",
      thinking: { type: "enabled", budget_tokens: 1024 },
    }),
    keeps: ["Here is"],
    legal: [
      request([user("go"), assistant([thinking("hm"), text("Here is")])], {
        model: "claude-opus-4-1",
        thinking: { type: "enabled", budget_tokens: 1024 },
      }),
      request([user("go"), assistant([text("Here is")])], { model: "claude-opus-4-1" }),
    ],
  }));

test("A-THINK-17 thinking in the last row while it is off", () =>
  check({
    rule: "A-THINK-17",
    illegal: request([user("go"), assistant([thinking("hm"), text("kites")])], { model: "claude-haiku-4-5" }),
    keeps: ["kites"],
    legal: [
      request([user("go"), assistant([thinking("hm"), text("kites")]), user("and?")], { model: "claude-haiku-4-5" }),
    ],
  }));

test("A-THINK-31 thinking at the very end while it is on", () => {
  const on = { model: "claude-haiku-4-5", max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 1024 } };
  check({
    rule: "A-THINK-31",
    illegal: request([user("go"), assistant([thinking("hm"), text("kites"), thinking("more")])], on),
    keeps: ["kites"],
    legal: [
      request([user("go"), assistant([thinking("hm"), text("kites")])], on),
      request([user("go"), assistant([thinking("hm"), text("kites"), thinking("more")]), user("and?")], on),
    ],
  });
  const alone = request([user("go"), assistant([thinking("hm")])], on);
  const judged = judgeBody(Buffer.from(JSON.stringify(alone)), {});
  if (judged.kind !== "judged") throw new Error(judged.kind);
  expect(JSON.parse(Buffer.from(judged.repaired!).toString()).messages).toEqual([user("go")]);
});

test("A-SIG-18 a blank signature", () =>
  check({
    rule: "A-SIG-18",
    illegal: request([user("go"), assistant([{ ...thinking("hm"), signature: "" }, text("31 stamps")]), user("and?")]),
    keeps: ["31 stamps"],
    legal: [request([user("go"), assistant([thinking("hm"), text("31 stamps")]), user("and?")])],
  }));

test("A-FORCE-20 a forced tool choice on a model that takes none", () =>
  check({
    rule: "A-FORCE-20",
    illegal: request([user("go")], { model: "claude-fable-5-1", tool_choice: { type: "tool", name: "read" } }),
    keeps: ["go"],
    legal: [request([user("go")], { tool_choice: { type: "any" } })],
  }));

test("A-PREFILL-21 a prefill on a model that takes none", () =>
  check({
    rule: "A-PREFILL-21",
    illegal: request([user("go"), assistant([text("Here is")])], { model: "claude-opus-4-6" }),
    keeps: ["Here is"],
    legal: [request([user("go"), assistant([text("Here is")])], { model: "claude-haiku-4-5" })],
  }));

test("A-SYS-22 a system row on an old model, or in the wrong place", () =>
  check({
    rule: "A-SYS-22",
    illegal: request([{ role: "system", content: "be brief" }, user("go")]),
    keeps: ["be brief"],
    legal: [
      request([user("go"), { role: "system", content: "be brief" }], { model: "claude-opus-5-5" }),
      request([user("go"), { role: "system", content: "be brief" }, assistant([text("x")]), user("y")], {
        model: "claude-opus-5-5",
      }),
    ],
  }));

test("A-CC-23 five cache markers", () =>
  check({
    rule: "A-CC-23",
    illegal: request([user(many(5, { ...text("part"), ...marked() }))]),
    keeps: ["part"],
    legal: [request([user(many(4, { ...text("part"), ...marked() }))])],
  }));

test("A-CC-24 a long-lived marker behind a short-lived one", () =>
  check({
    rule: "A-CC-24",
    illegal: request([
      user([
        { ...text("part"), ...marked() },
        { ...text("end"), ...marked("1h") },
      ]),
    ]),
    keeps: ["part", "end"],
    legal: [
      request([
        user([
          { ...text("part"), ...marked("1h") },
          { ...text("end"), ...marked() },
        ]),
      ]),
    ],
  }));

test("A-IMG-26 a wide image among many", () =>
  check({
    rule: "A-IMG-26",
    illegal: request([user([...many(20, image(100, 100)), image(2400, 100)])]),
    keeps: null,
    legal: [request([user([...many(19, image(100, 100)), image(2400, 100)])])],
  }));

test("A-IMG-32 an image that is called something else than it is", () => {
  const jpeg = {
    type: "base64",
    media_type: "image/png",
    data: Buffer.from("ffd8ffe000104a464946", "hex").toString("base64"),
  };
  const named = (media_type: string) => ({ type: "image", source: { ...jpeg, media_type } });
  const read = (block: object) =>
    request([user("go"), assistant([call("a")]), user([{ ...result("a"), content: [text("plums"), block] }])]);
  check({
    rule: "A-IMG-32",
    illegal: read(named("image/png")),
    keeps: ["plums", jpeg.data, "image/jpeg"],
    legal: [
      read(named("image/jpeg")),
      read({ type: "image", source: { ...jpeg, data: "AAAA" } }),
      read({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
    ],
  });
});

test("A-MAX-30 more rows than the API takes", () =>
  check({
    rule: "A-MAX-30",
    illegal: request(many(100_001, user("x"))),
    keeps: null,
    legal: [request(many(1_000, user("x")))],
  }));

test("A-CMP-28 a summary that does not come first, or comes twice", () =>
  check({
    rule: "A-CMP-28",
    illegal: request([user("go"), assistant([summary, text("so")]), user("and?")]),
    keeps: null,
    legal: [
      request([assistant([summary]), user("and?")]),
      request([user("go"), assistant([{ ...summary, content: null }, text("so")]), user("and?")]),
    ],
  }));

test("A-ERRIMG-27 an image in an error is reported, never a violation", () => {
  const failed = { ...result("a"), content: [text("no"), image(9, 9)], is_error: true };
  const body = request([user("go"), assistant([call("a")]), user([failed])]);
  expect(judgeBody(Buffer.from(JSON.stringify(body)), {})).toMatchObject({
    verdict: { kind: "admit-unverified", soft: [{ class: "unproven_rule", path: "/messages/2/content/0/content/1" }] },
  });
});

test("A-THR-29 A-CMP-28 the server's own codes are explained", () => {
  const rulesFor = (code: string) =>
    rulesBehind("anthropic-messages", { status: 400, code, message: "" }).map(({ id }) => id);
  expect(rulesFor("thread_already_continued")).toEqual(["A-THR-29"]);
  expect(rulesFor("compaction_block_ambiguous")).toEqual(["A-CMP-28"]);
  expect(rulesFor("invalid_request_error")).toEqual([]);
});

test("DG-7 every rule of the table has a case here or needs earlier exchanges, so switching one off fails a test", () => {
  const covered = [...checked, ...STATEFUL, ...EXPLAINING, ...UNPROVEN];
  expect(covered.toSorted()).toEqual(anthropicRules.map(({ id }) => id).toSorted());
});

test("DG-7 A-CC-25 a rule without proof is reported as a divergence, never as a violation", () => {
  const body = request([user("go"), assistant([{ ...thinking("hm"), ...marked() }, text("x")]), user("y")]);
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), {});
  expect(judged).toMatchObject({
    verdict: {
      kind: "admit-unverified",
      soft: [{ class: "unproven_rule", path: "/messages/1/content/0/cache_control" }],
    },
  });
});

test("A-EMPTYSEP-13 an empty text between two thinking blocks keeps its place", () => {
  const body = request([user("go"), assistant([thinking("a"), text(""), thinking("b"), text("x")]), user("y")]);
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), {});
  if (judged.kind !== "judged") throw new Error(judged.kind);
  const content = JSON.parse(Buffer.from(judged.repaired!).toString()).messages[1].content;
  expect(content.map((block: { type: string }) => block.type)).toEqual(["thinking", "text", "thinking", "text"]);
  expect(rulesOf({ ...body, model: "claude-opus-5-5" })).toEqual([]);
});

test("DG-23 text is never moved across a thinking block", () => {
  const body = request([
    user("go"),
    assistant([thinking("a"), call("a"), thinking("b"), text("x")]),
    user([result("a")]),
  ]);
  expect(rulesOf(body)).toEqual(["A-ASST-4"]);
  expect(judgeBody(Buffer.from(JSON.stringify(body)), {})).toMatchObject({ repaired: null, outcome: "degraded" });
});

test("DG-22 a late result goes behind its own call before anything is made up", () => {
  const body = request([
    user("go"),
    assistant([call("a")]),
    user("wait"),
    assistant([text("ok")]),
    user([result("a", "real"), text("so?")]),
  ]);
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), {});
  if (judged.kind !== "judged") throw new Error(judged.kind);
  const messages = JSON.parse(Buffer.from(judged.repaired!).toString()).messages;
  expect(messages[2]).toEqual({ role: "user", content: [result("a", "real")] });
  expect(JSON.stringify(messages)).not.toContain("No result");
});

test("DG-6 nothing about an object with a doubled member name is hard", () => {
  const bytes = Buffer.from(
    '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"a","id":"b","name":"read","input":{}}]},{"role":"user","content":"c"}]}',
  );
  expect(judgeBody(bytes, { api: "anthropic-messages" })).toMatchObject({
    verdict: { kind: "admit-unverified", soft: [{ class: "unmodelled" }] },
    outcome: "sent",
  });
});

test("DG-4 a backend that nobody names gets a report and no repair", () => {
  const body = request([user("go"), assistant([call("a")]), user("stop")]);
  expect(judgeBody(Buffer.from(JSON.stringify(body)), { backend: "unknown" })).toMatchObject({
    verdict: { kind: "admit-unverified", soft: [{ class: "unproven_rule" }] },
    repaired: null,
  });
});

test("DG-29 a violation of the host's own history says so", () => {
  const body = request([user("go"), assistant([call("a")]), user("stop")]);
  const judged = judgeBody(Buffer.from(JSON.stringify(body)), {});
  expect(judged).toMatchObject({
    verdict: { hard: [{ rule: "A-PAIR-1", origin: "host", path: "/messages/1/content/0" }] },
  });
});

test("A-ID-10 A-DUP-6 DG-25 a new id keeps its name whatever comes later: the later one gives way", () => {
  const turns = (...ids: string[]) =>
    ids.flatMap((id) => [assistant([call(id)]), user([result(id, `result of ${id}`)])]);
  const rowsOf = (...ids: string[]): object[] => {
    const judged = judgeBody(Buffer.from(JSON.stringify(request([user("go"), ...turns(...ids)]))), {});
    if (judged.kind !== "judged") throw new Error(judged.kind);
    expect(judged.outcome).toBe("repaired");
    return JSON.parse(Buffer.from(judged.repaired!).toString()).messages;
  };
  for (const [early, late] of [
    [["a|b"], ["a_b", "a:b"]],
    [
      ["a", "a"],
      ["a_2", "a"],
    ],
    [[""], ["unnamed_1"]],
  ] as const) {
    const before = rowsOf(...early);
    const after = rowsOf(...early, ...late);
    expect(after.slice(0, before.length)).toEqual(before);
    const ids = after.flatMap(({ content }: { content?: { id?: string }[] }) => content?.[0]?.id ?? []);
    expect(new Set(ids).size).toBe(early.length + late.length);
  }
});
