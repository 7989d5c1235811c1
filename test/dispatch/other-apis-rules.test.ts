/** One minimal illegal body and its legal look-alikes for every rule of Gemini, Bedrock Converse and Mistral. */
import { expect, test } from "vitest";
import { converseRules } from "../../src/dispatch/rules/bedrock-converse.ts";
import { googleRules } from "../../src/dispatch/rules/google.ts";
import { mistralRules } from "../../src/dispatch/rules/mistral.ts";
import { judgeBody } from "../../src/engine/judge-body.ts";
import { createProviderContext, type SimulatedBackend, validateRequest } from "../../src/testing/index.ts";
import type { Api, Backend } from "../../src/wire/api.ts";
import * as chat from "./chat-body.ts";
import * as bedrock from "./converse-body.ts";
import * as google from "./google-body.ts";

interface Place {
  readonly api: Api;
  readonly backend: Backend;
  readonly model: string;
}

interface RuleCase extends Place {
  readonly rule: string;
  readonly illegal: object;
  /** Other names of the same fault that may be reported beside it. */
  readonly also?: readonly string[];
  /** Words that the repaired body must still hold; null where no faithful repair exists. */
  readonly keeps: readonly string[] | null;
  readonly legal: readonly object[];
}

const gemini: Place = { api: "google-generative-ai", backend: "google", model: "gemini-2.5-pro" };
const gemini3: Place = { ...gemini, model: "gemini-3-pro" };
const claude: Place = {
  api: "bedrock-converse-stream",
  backend: "bedrock",
  model: "us.anthropic.claude-sonnet-4-5-v1:0",
};
const nova: Place = { ...claude, model: "us.amazon.nova-pro-v1:0" };
const llama: Place = { ...claude, model: "meta.llama3-1-70b-instruct-v1:0" };
const mistral: Place = { api: "mistral-conversations", backend: "mistral", model: "mistral-large-latest" };

const { call, model, response, user } = google;

/** Rules that a test here has tried. */
const checked = new Set<string>();

test("G-CALL-1 a call that does not follow the user", () => {
  const legal = [
    google.request([user("go"), model("I look.", call()), user(response())]),
    google.request([user("go"), model(call()), user(response()), model(call()), user(response())]),
    google.request([model("well"), user("go"), model(call()), user(response())]),
    google.request([model(call()), user(response())], { cachedContent: "cachedContents/1" }),
  ];
  check({
    ...gemini,
    rule: "G-CALL-1",
    illegal: google.request([model(call()), user(response("kite")), model("One."), user("Read it.")]),
    keeps: ["kite", "Read it."],
    legal,
  });
  check({
    ...gemini,
    rule: "G-CALL-1",
    illegal: google.request([user("go"), model("wait"), model(call()), user(response("kite"))]),
    keeps: ["go", "wait", "kite"],
    legal,
  });
});

test("G-RESP-2 a response behind no call: it moves to its call, or stays as words", () => {
  const legal = [google.request([user("go"), model(call()), user(response(), "and?")])];
  check({
    ...gemini,
    rule: "G-RESP-2",
    illegal: google.request([user("go"), model("well"), user(response("twelve candles"), "so?")]),
    keeps: ["twelve candles", "so?"],
    legal,
  });
  check({
    ...gemini,
    rule: "G-RESP-2",
    also: ["G-COUNT-3"],
    illegal: google.request([user("go"), model(call()), user("be quick"), user(response("ten jars"))]),
    keeps: ["be quick", "ten jars"],
    legal,
  });
});

test("G-COUNT-3 more or fewer responses than calls", () => {
  const legal = [
    google.request([user("go"), model(call(), call()), user(response(), response())]),
    google.request([user("go"), model(call()), user({ function_response: { name: "read", response: {} } })]),
    google.request([user("go"), model(call(), { fromTheFuture: 1 }), user("stop")]),
  ];
  for (const { illegal, keeps } of [
    { illegal: [user("go"), model(call(), call("list")), user(response("ink"))], keeps: ["ink", "No result"] },
    {
      illegal: [user("go"), model(call(), call()), user(response("ink")), user(response("oak"))],
      keeps: ["ink", "oak"],
    },
    { illegal: [user("go"), model(call()), user(response("ink"), response("oak"))], keeps: ["ink", "oak"] },
    { illegal: [user("go"), model(call()), user("stop it")], keeps: ["stop it", "No result"] },
    { illegal: [user("go"), model("I look.", call())], keeps: ["I look.", "No result"] },
    { illegal: [user("go"), model(call("a", {}), call("b")), user(response("x", "b"))], keeps: ["x", "No result"] },
  ]) {
    check({ ...gemini, rule: "G-COUNT-3", illegal: google.request(illegal), keeps, legal });
  }
  const { repaired } = judged(
    google.request([user("go"), model(call(), call("list")), user(response("x", "list"))]),
    gemini,
  );
  expect((repaired as google.GoogleBody).contents[2]!.parts).toMatchObject([
    { functionResponse: { name: "list", response: { output: "x" } } },
    { functionResponse: { name: "read", response: { error: expect.stringContaining("No result") } } },
  ]);
});

test("G-SIG-4 a call of the running turn without a signature, on models that want one", () => {
  const signed = call("read", { thoughtSignature: "c2VhbA==" });
  const legal = [
    google.request([user("go"), model(call()), user(response()), model("well"), user("and?")]),
    google.request([user("go"), model(signed, call()), user(response(), response())]),
    google.request([user("go"), model({ ...call(), thought_signature: "c2VhbA==" }), user(response())]),
  ];
  const illegal = google.request([
    user("go"),
    model(signed),
    user(response("fog")),
    model(call()),
    user(response("rain")),
  ]);
  check({ ...gemini3, rule: "G-SIG-4", illegal, keeps: ["fog", "rain", "skip_thought_signature_validator"], legal });
  check({ ...gemini3, api: "google-vertex", backend: "vertex", rule: "G-SIG-4", illegal, keeps: null, legal });
  expect(judged(illegal, gemini).verdict).toEqual({ kind: "admit" });
});

test("G-EMPTY-5 contents without parts and parts without data", () => {
  const legal = [
    google.request([user("go"), model({ text: "", thoughtSignature: "c2VhbA==" }, "well"), user(" ")]),
    google.request([user({ inlineData: { mimeType: "image/png", data: "AAAA" } })]),
  ];
  for (const contents of [
    [user("go"), { role: "model", parts: [] }, user("more")],
    [user("go"), model("well"), user("", "more")],
    [user("go"), model(call(), {}), user(response("oak"), "more")],
    [user("go", {}), { role: "model" }, user("more")],
  ]) {
    check({ ...gemini, rule: "G-EMPTY-5", illegal: google.request(contents), keeps: ["go", "more"], legal });
  }
});

test("G-END-6 the conversation ends with the model", () =>
  check({
    ...gemini,
    rule: "G-END-6",
    illegal: google.request([user("go"), model("Shelf four.")]),
    keeps: ["Shelf four."],
    legal: [google.request([user("go"), model("Shelf four."), user("Next.")])],
  }));

test("G-NAME-7 names of functions, and responses that are no object", () => {
  const named = (name: string) => google.request([user("go")], { tools: [{ functionDeclarations: [{ name }] }] });
  check({ ...gemini, rule: "G-NAME-7", illegal: named("2read"), keeps: null, legal: [named("_read.all:1-2")] });
  const text = google.request([user("go"), model(call()), user({ functionResponse: { name: "read", response: "x" } })]);
  expect(judged(text, gemini).verdict).toMatchObject({ soft: [{ class: "unproven_rule" }] });
});

test("B-PAIR-1 a call without its result in the next message", () =>
  check({
    ...claude,
    rule: "B-PAIR-1",
    illegal: bedrock.request([
      bedrock.user("go"),
      bedrock.assistant(bedrock.call("a"), bedrock.call("b")),
      bedrock.user(bedrock.result("b", "nine"), "stop"),
    ]),
    keeps: ["nine", "stop", "No result"],
    legal: [
      bedrock.request([
        bedrock.user("go"),
        bedrock.assistant(bedrock.call("a")),
        bedrock.user(bedrock.result("a"), "and?"),
      ]),
      bedrock.request([
        bedrock.user("go"),
        bedrock.assistant(bedrock.call("a:1.x")),
        bedrock.user(bedrock.result("a:1.x")),
      ]),
      bedrock.request([
        bedrock.user("go"),
        bedrock.assistant(bedrock.call("a"), { fromTheFuture: {} }),
        bedrock.user("stop"),
      ]),
    ],
  }));

test("B-PAIR-2 more results than calls in front of them", () => {
  const called = bedrock.assistant(bedrock.call("a"));
  const legal = [bedrock.request([bedrock.user("go"), called, bedrock.user(bedrock.result("a"))])];
  for (const results of [
    [bedrock.result("a", "silk"), bedrock.result("x", "felt")],
    [bedrock.result("a", "silk"), bedrock.result("a", "felt")],
    [bedrock.result("a", "silk"), bedrock.result("x", "", { content: [{ json: { cloth: "felt" } }] })],
  ]) {
    const illegal = bedrock.request([bedrock.user("go"), called, bedrock.user(...results)]);
    check({ ...claude, rule: "B-PAIR-2", illegal, keeps: ["silk", "felt"], legal });
  }
  // The row of the second result is gone; the words of the stray one may not go with it.
  const apart = [
    bedrock.user(bedrock.result("x", "felt")),
    ...[1, 2].map(() => bedrock.user(bedrock.result("a", "silk"))),
  ];
  const scattered = bedrock.request([bedrock.user("go"), called, ...apart]);
  check({ ...claude, rule: "B-PAIR-2", illegal: scattered, also: ["B-ROLE-8"], keeps: ["silk", "felt"], legal });
  const orphan = bedrock.request([bedrock.user(bedrock.result("a", "twine"), "so?")]);
  check({ ...claude, rule: "B-PAIR-2", illegal: orphan, keeps: ["twine", "so?"], legal });
});

test("B-DUP-3 one id twice in a message", () =>
  check({
    ...claude,
    rule: "B-DUP-3",
    illegal: bedrock.request([
      bedrock.user("go"),
      bedrock.assistant(bedrock.call("a"), bedrock.call("a")),
      bedrock.user(bedrock.result("a", "one"), bedrock.result("a", "two")),
    ]),
    keeps: ["one", "two"],
    legal: [
      bedrock.request([
        bedrock.user("go"),
        bedrock.assistant(bedrock.call("a")),
        bedrock.user(bedrock.result("a")),
        bedrock.assistant(bedrock.call("a")),
        bedrock.user(bedrock.result("a")),
      ]),
    ],
  }));

test("B-CFG-4 tool blocks in a request that offers no tools", () => {
  const history = [
    bedrock.user("go"),
    bedrock.assistant(bedrock.call("a")),
    bedrock.user(bedrock.result("a", "wool")),
    bedrock.assistant("Wool."),
    bedrock.user("Sum up."),
  ];
  for (const toolConfig of [undefined, { tools: [] }]) {
    check({
      ...claude,
      rule: "B-CFG-4",
      illegal: bedrock.request(history, { toolConfig }),
      keeps: ["wool", "Sum up."],
      legal: [bedrock.request(history), bedrock.request([bedrock.user("go")], { toolConfig: undefined })],
    });
  }
});

test("B-MIX-5 results and words in one message, for models that are not Claude", () => {
  const mixed = bedrock.request([
    bedrock.user("go"),
    bedrock.assistant(bedrock.call("a")),
    bedrock.user(bedrock.result("a", "agate"), "Short, please."),
    bedrock.assistant("Agate."),
    bedrock.user("Thanks."),
  ]);
  const marked = bedrock.user(bedrock.result("a"), { cachePoint: { type: "default" } });
  check({
    ...nova,
    rule: "B-MIX-5",
    illegal: mixed,
    keeps: ["agate", "Short, please.", "Thanks."],
    legal: [bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a")), marked])],
  });
  expect(judged(mixed, claude).verdict).toEqual({ kind: "admit" });
});

test("B-ERR-6 an error without words", () =>
  check({
    ...claude,
    rule: "B-ERR-6",
    illegal: bedrock.request([
      bedrock.user("go"),
      bedrock.assistant(bedrock.call("a")),
      bedrock.user(bedrock.result("a", "", { content: [], status: "error" })),
    ]),
    keeps: ["go"],
    legal: [
      bedrock.request([
        bedrock.user("go"),
        bedrock.assistant(bedrock.call("a")),
        bedrock.user(bedrock.result("a", "", { content: [] })),
      ]),
    ],
  }));

test("B-REAS-7 reasoning with a signature, and reasoning of the user, on models that are not Claude", () => {
  const history = (...content: readonly object[]) =>
    bedrock.request([
      bedrock.user("go"),
      bedrock.assistant(...(content as bedrock.Block[]), "Oak."),
      bedrock.user("more"),
    ]);
  const signed = history(bedrock.reasoning("a plan", "c2VhbA=="));
  check({
    ...nova,
    rule: "B-REAS-7",
    illegal: signed,
    keeps: ["Oak.", "more"],
    legal: [history(bedrock.reasoning("a plan"))],
  });
  check({
    ...nova,
    rule: "B-REAS-7",
    illegal: bedrock.request([bedrock.user(bedrock.reasoning("a plan"), "go")]),
    keeps: ["go"],
    legal: [history()],
  });
  expect(judged(signed, claude).verdict).toEqual({ kind: "admit" });
});

test("B-ROLE-8 roles in turn, the user first, nothing blank", () => {
  const legal = [bedrock.request([bedrock.user("go"), bedrock.assistant("well"), bedrock.user("more")])];
  for (const messages of [
    [bedrock.user("go"), bedrock.user("more")],
    [bedrock.assistant("well"), bedrock.user("go more")],
    [bedrock.user("go"), { role: "assistant", content: [] }, bedrock.user("more")],
    [bedrock.user("go", "  "), bedrock.assistant("well"), bedrock.user("more")],
    [
      bedrock.user("go"),
      bedrock.assistant("well"),
      bedrock.assistant(bedrock.call("a")),
      bedrock.user(bedrock.result("a"), "more"),
    ],
    [
      bedrock.user("go"),
      bedrock.assistant(bedrock.call("a")),
      bedrock.user("more"),
      bedrock.user(bedrock.result("a", "oak")),
    ],
  ]) {
    const illegal = bedrock.request(messages);
    check({ ...claude, rule: "B-ROLE-8", illegal, keeps: ["go", "more"], legal });
    check({ ...nova, rule: "B-ROLE-8", illegal, also: ["B-MIX-5"], keeps: ["go", "more"], legal });
  }
});

test("B-CP-9 cache points on models without a cache", () => {
  const point = { cachePoint: { type: "default" } };
  const illegal = bedrock.request([bedrock.user("go", point)], { system: [{ text: "s" }, point] });
  check({ ...llama, rule: "B-CP-9", illegal, keeps: ["go"], legal: [bedrock.request([bedrock.user("go")])] });
  for (const place of [claude, nova]) expect(judged(illegal, place).verdict).toEqual({ kind: "admit" });
});

test("M-ID-1 ids that are not nine letters or digits", () =>
  check({
    ...mistral,
    rule: "M-ID-1",
    illegal: chat.request([
      chat.user("go"),
      chat.calling(["call_1"]),
      chat.answer("call_1", "salt"),
      chat.assistant("Salt."),
      chat.user("more"),
    ]),
    keeps: ["salt", "more"],
    legal: [chat.request([chat.user("go"), chat.calling(["aB3456789"]), chat.answer("aB3456789")])],
  }));

test("M-ORD-2 the user speaks directly behind a result", () =>
  check({
    ...mistral,
    rule: "M-ORD-2",
    illegal: chat.request([
      chat.user("go"),
      chat.calling(["aB3456789"]),
      chat.answer("aB3456789", "rye"),
      chat.user("never mind"),
    ]),
    keeps: ["rye", "never mind"],
    legal: [
      chat.request([
        chat.user("go"),
        chat.calling(["aB3456789"]),
        chat.answer("aB3456789"),
        chat.assistant("Rye."),
        chat.user("so?"),
      ]),
    ],
  }));

test("M-ORD-3 a tool message behind the user", () => {
  const legal = [chat.request([chat.user("go"), chat.calling(["aB3456789"]), chat.answer("aB3456789")])];
  for (const messages of [
    [chat.user("go"), chat.answer("aB3456789", "oats"), chat.assistant("well"), chat.user("more")],
    [chat.user("go"), chat.calling(["aB3456789"]), chat.user("wait"), chat.answer("aB3456789", "oats")],
  ]) {
    check({ ...mistral, rule: "M-ORD-3", illegal: chat.request(messages), keeps: ["go", "oats"], legal });
  }
});

test("M-LAST-4 the assistant stands last", () => {
  const legal = [chat.request([chat.user("go"), { ...chat.assistant("The files"), prefix: true }])];
  for (const last of [chat.assistant("Umber."), chat.assistant(""), chat.calling(["aB3456789"])]) {
    check({ ...mistral, rule: "M-LAST-4", illegal: chat.request([chat.user("go"), last]), keeps: ["go"], legal });
  }
});

test("M-COUNT-5 a call without a result is no more than a note", () => {
  const body = chat.request([chat.user("go"), chat.calling(["aB3456789"]), chat.assistant("well"), chat.user("more")]);
  expect(judged(body, mistral).verdict).toMatchObject({ kind: "admit-unverified", soft: [{ class: "unproven_rule" }] });
  checked.add("M-COUNT-5");
});

test("DG-7 every rule of these APIs was tried", () => {
  const rules = [...googleRules, ...converseRules, ...mistralRules];
  expect(rules.map(({ id }) => id).filter((id) => !checked.has(id))).toEqual([]);
});

test("DG-22 a renamed id is the same on every later turn, and two ids never become one", () => {
  const ids = ["call_1", "call_2", "call-1"];
  const history = ids.flatMap((id) => [chat.calling([id]), chat.answer(id), chat.assistant("well"), chat.user("more")]);
  const idsOf = (count: number) => {
    const { repaired } = judged(chat.request([chat.user("go"), ...history.slice(0, count * 4)]), mistral);
    return (repaired as chat.ChatBody).messages.flatMap((row) => row.tool_call_id ?? []);
  };
  const all = idsOf(3);
  expect(new Set(all).size).toBe(3);
  expect(idsOf(1)).toEqual(all.slice(0, 1));
  expect(idsOf(2)).toEqual(all.slice(0, 2));
});

function check({ rule, illegal, also = [], keeps, legal, ...place }: RuleCase): void {
  checked.add(rule);
  const { rules, outcome, repaired } = judged(illegal, place);
  expect(rules).toContain(rule);
  expect(rules.filter((id) => id !== rule && !also.includes(id))).toEqual([]);
  expect(answerTo(illegal, place)).toBe(400);
  if (keeps === null) expect({ outcome, repaired }).toEqual({ outcome: "degraded", repaired: null });
  else {
    expect(answerTo(repaired, place)).toBe(200);
    expect(judged(repaired, place)).toMatchObject({ outcome: "sent", repaired: null, rules: [] });
    for (const words of keeps) expect(JSON.stringify(repaired)).toContain(words);
  }
  for (const body of legal) {
    expect(judged(body, place), JSON.stringify(body)).toMatchObject({ rules: [], outcome: "sent" });
  }
}

function answerTo(body: unknown, { api, backend, model }: Place): number {
  const named = { ...(body as object), model };
  return validateRequest(api, named, createProviderContext({ backend: backend as SimulatedBackend }), { model }).status;
}

function judged(body: unknown, { api, backend, model }: Place) {
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { api, backend, model });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const { verdict, outcome, repaired } = judgement;
  const rules = verdict.kind === "unsafe" ? [...new Set(verdict.hard.map((violation) => violation.rule))] : [];
  return { verdict, outcome, rules, repaired: repaired === null ? null : JSON.parse(Buffer.from(repaired).toString()) };
}
