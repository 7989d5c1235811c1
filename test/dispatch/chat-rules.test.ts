/** One minimal illegal body and its legal look-alikes for every rule of Chat Completions and of the servers that copy it. */
import { expect, test } from "vitest";
import { compatibleRules } from "../../src/dispatch/rules/openai-compatible.ts";
import { chatRules } from "../../src/dispatch/rules/openai-completions.ts";
import { judgeBody } from "../../src/engine/judge-body.ts";
import type { Backend } from "../../src/wire/api.ts";
import { answer, assistant, call, calling, request, system, tool, user } from "./chat-body.ts";

interface RuleCase {
  readonly rule: string;
  readonly backend: Backend;
  readonly api?: "anthropic-messages";
  readonly illegal: object;
  /** Other names of the same fault that may be reported beside it. */
  readonly also?: readonly string[];
  /** Words that the repaired body must still hold; null where no faithful repair exists. */
  readonly keeps: readonly string[] | null;
  readonly legal: readonly object[];
}

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const kimi = { model: "kimi-k2-thinking" };
const devstral = { model: "devstral-small-2507", tools: undefined };
const qwen = { model: "Qwen3-Coder-30B", tools: undefined };
const reasoned = { reasoning_content: "I look first." };

/** Rules that a test here has tried. */
const checked = new Set<string>();

test("C-PAIR-1 a call without a tool message directly behind it", () =>
  check({
    rule: "C-PAIR-1",
    backend: "openai",
    illegal: request([user("go"), calling(["a", "b"]), answer("b", "nine"), user("stop, please")]),
    keeps: ["nine", "stop, please", "No result"],
    legal: [
      request([user("go"), calling(["a", "b"]), answer("b"), answer("a"), user("so?"), user("well?")]),
      request([user("go"), calling(["a"]), answer("a"), calling(["a"]), answer("a")]),
      request([user("go"), calling(["a"]), answer("a"), answer("a"), user("so?")]),
      request([user("go"), { ...calling(["a"]), tool_calls: [call("a"), { type: "from_the_future" }] }, user("stop")]),
      request([user("go"), calling(["a"]), { role: "from_the_future", content: "x" }, answer("a")]),
      request([user("go"), calling(["a"]), user([{ type: "from_the_future" }]), answer("a")]),
    ],
  }));

test("C-PAIR-1 a steer message and a system row between a call and its tool message", () =>
  check({
    rule: "C-PAIR-1",
    backend: "azure",
    illegal: request([user("go"), calling(["a"]), user("be quick"), system("note"), answer("a", "oil the hinges")]),
    also: ["C-PAIR-2"],
    keeps: ["be quick", "note", "oil the hinges"],
    legal: [request([user("go"), calling(["a"]), answer("a"), user("be quick"), system("note")])],
  }));

test("C-PAIR-2 a tool message without a call before it", () =>
  check({
    rule: "C-PAIR-2",
    backend: "openai",
    illegal: request([
      user("go"),
      calling(["a"]),
      answer("x", [{ type: "text", text: "12 jars" }, picture]),
      answer("a", "six"),
      user("and?"),
    ]),
    keeps: ["12 jars", "data:image/png;base64,AAAA", "six", "and?"],
    legal: [
      request([user("go"), calling(["a"]), answer("a"), user("and?")]),
      request([{ role: "from_the_future" }, answer("a"), user("and?")]),
    ],
  }));

test("C-NULL-3 no content where a string is wanted", () =>
  check({
    rule: "C-NULL-3",
    backend: "openai",
    illegal: request([user("go"), { role: "assistant", content: null }, user("there?"), { role: "user", content: [] }]),
    keeps: ["go", "there?"],
    legal: [
      request([user("go"), calling(["a"]), answer("a", ""), { role: "assistant", content: "" }, user("so?")]),
      request([user("go"), { role: "assistant", content: null, refusal: "no" }, user("so?")]),
      request([user("go"), { role: "assistant", audio: { id: "audio_1" } }, user("so?")]),
      request([user("go"), { role: "assistant", tool_calls: [call("a")] }, answer("a")]),
      request([user("go"), { role: "from_the_future", content: [] }]),
    ],
  }));

test("C-NULL-3 LM Studio takes no null beside calls either", () =>
  check({
    rule: "C-NULL-3",
    backend: "lmstudio",
    illegal: request([user("go"), calling(["a"]), answer("a"), user("so?")]),
    keeps: ["so?"],
    legal: [request([user("go"), calling(["a"], { content: "" }), answer("a"), user("so?")])],
  }));

test("C-NAME-4 a tool name outside the pattern", () =>
  check({
    rule: "C-NAME-4",
    backend: "openai",
    illegal: request([user("go")], { tools: [tool("mail.flag")] }),
    keeps: null,
    legal: [
      request([user("go")], { tools: [tool("mail_flag-2"), tool("x".repeat(64)), { type: "web_search" }] }),
      request([{ role: "developer", content: "be brief" }, user("go")]),
    ],
  }));

test("C-NAME-4 DeepSeek knows the role system only", () =>
  check({
    rule: "C-NAME-4",
    backend: "deepseek",
    illegal: request([{ role: "developer", content: "be brief" }, user("go")], { model: "deepseek-chat" }),
    keeps: ["be brief", "go"],
    legal: [request([system("be brief"), user("go")], { model: "deepseek-chat" })],
  }));

test("K-QWEN-8 Qwen's own words for a call without an answer", () =>
  check({
    rule: "K-QWEN-8",
    backend: "qwen",
    illegal: request([user("go"), calling(["a"]), user("stop")]),
    also: ["C-PAIR-1"],
    keeps: ["stop"],
    legal: [request([user("go"), calling(["a"]), answer("a"), user("stop")])],
  }));

test("K-DS-1 a call of a thinking DeepSeek model without reasoning_content", () =>
  check({
    rule: "K-DS-1",
    backend: "deepseek",
    illegal: request([user("go"), calling(["a"]), answer("a", "leek"), user("so?")], { model: "deepseek-reasoner" }),
    keeps: ["leek", "so?"],
    legal: [
      request([user("go"), calling(["a"], { reasoning_content: "" }), answer("a"), assistant("x"), user("so?")], {
        model: "deepseek-reasoner",
      }),
      request([user("go"), calling(["a"]), answer("a")], { model: "deepseek-chat" }),
      request([user("go"), calling(["a"]), answer("a")], { model: "deepseek-v4", thinking: { type: "disabled" } }),
    ],
  }));

test("K-DS-1 DeepSeek V4 refuses a place holder as reasoning", () =>
  check({
    rule: "K-DS-1",
    backend: "deepseek",
    illegal: request([user("go"), calling(["a"], { reasoning_content: "." }), answer("a")], {
      model: "deepseek-v4-pro",
    }),
    keeps: ["go"],
    legal: [request([user("go"), calling(["a"], reasoned), answer("a")], { model: "deepseek-v4-pro" })],
  }));

test("K-KIMI-2 a call of a thinking Kimi without reasoning_content", () =>
  check({
    rule: "K-KIMI-2",
    backend: "moonshot",
    illegal: request([user("go"), calling(["a"]), answer("a", "six"), user("so?")], kimi),
    keeps: ["six", "so?"],
    legal: [
      request([user("go"), calling(["a"], reasoned), answer("a")], kimi),
      request([user("go"), calling(["a"]), answer("a")], { model: "kimi-k2-0905-preview" }),
      request([user("go"), calling(["a"]), answer("a")], { ...kimi, thinking: { type: "disabled" } }),
    ],
  }));

test("K-KIMI-2 a tool_call_id that is not found", () =>
  check({
    rule: "K-KIMI-2",
    backend: "moonshot",
    illegal: request([user("go"), answer("x", "12 jars"), user("so?")], kimi),
    also: ["C-PAIR-2"],
    keeps: ["12 jars", "so?"],
    legal: [request([user("go"), calling(["x"], reasoned), answer("x")], kimi)],
  }));

test("K-KIMI-2 an assistant row or a text part without a word", () =>
  check({
    rule: "K-KIMI-2",
    backend: "moonshot",
    illegal: request(
      [
        user([{ type: "text", text: "" }, picture]),
        { role: "assistant", content: "", ...reasoned },
        user([{ type: "text", text: "" }]),
        { role: "assistant" },
        user("so?"),
      ],
      kimi,
    ),
    also: ["C-NULL-3"],
    keeps: ["data:image/png;base64,AAAA", "so?"],
    legal: [request([user([{ type: "text", text: "look" }, picture]), assistant("a lamp"), user("so?")], kimi)],
  }));

test("K-KIMI-2 a tool forced by name on a thinking Kimi", () =>
  check({
    rule: "K-KIMI-2",
    backend: "moonshot",
    illegal: request([user("go")], { ...kimi, tool_choice: { type: "function", function: { name: "read" } } }),
    keeps: ["go"],
    legal: [
      request([user("go")], { ...kimi, tool_choice: "auto" }),
      request([user("go")], { model: "kimi-k2", tool_choice: { type: "function", function: { name: "read" } } }),
    ],
  }));

const kimiOnVllm = { model: "moonshotai/Kimi-K2-Instruct" };

test("K-KIMIID-3 ids of Kimi's own that another program cleaned, in every turn that has them", () => {
  const cleaned = request(
    [
      user("go"),
      calling(["functions_read_0", "functions_read_1"]),
      answer("functions_read_1", "one"),
      answer("functions_read_0", "nought"),
      calling(["functions-read-0"]),
      answer("functions-read-0", "again"),
      user("so?"),
    ],
    kimiOnVllm,
  );
  const native = [user("go"), calling(["functions.read:0"]), answer("functions.read:0"), user("so?")];
  check({
    rule: "K-KIMIID-3",
    backend: "vllm",
    illegal: cleaned,
    keeps: ["nought", "one", "again"],
    legal: [
      request(native, kimiOnVllm),
      request([user("go"), calling(["call_0", "functions_write_0"]), answer("call_0"), user("so?")], kimiOnVllm),
      request(cleaned.messages, { model: "qwen3-coder-30b" }),
    ],
  });
  const { messages } = judged(cleaned, "vllm").repaired as { messages: ReturnType<typeof calling>[] };
  expect(messages.slice(1, 6)).toEqual([
    calling(["functions.read:0", "functions.read:1"]),
    answer("functions.read:1", "one"),
    answer("functions.read:0", "nought"),
    calling(["functions.read:0"]),
    answer("functions.read:0", "again"),
  ]);
});

test("K-DS-1 a turn with calls of a thinking DeepSeek in the Anthropic format begins with its thinking", () => {
  const use = { type: "tool_use", id: "a", name: "read", input: {} };
  const done = user([{ type: "tool_result", tool_use_id: "a", content: "leek" }]);
  const body = (blocks: object[], more: object = {}) => ({
    ...{ model: "deepseek-v4-pro", max_tokens: 64, ...more },
    messages: [user("go"), { role: "assistant", content: blocks }, done],
  });
  const empty = { type: "thinking", thinking: "", signature: "" };
  check({
    rule: "K-DS-1",
    backend: "deepseek",
    api: "anthropic-messages",
    illegal: body([use]),
    keeps: ["leek", JSON.stringify(empty)],
    legal: [
      body([{ type: "thinking", thinking: "hm" }, use]),
      body([{ type: "text", text: "done" }]),
      body([use], { thinking: { type: "disabled" } }),
      body([use], { model: "deepseek-chat" }),
    ],
  });
});

test("K-GROQ-4 reasoning_content in the history", () =>
  check({
    rule: "K-GROQ-4",
    backend: "cerebras",
    illegal: request([user("go"), { ...assistant("nine lamps"), ...reasoned }, user("so?")]),
    keeps: ["nine lamps", "so?"],
    legal: [request([user("go"), { ...assistant("nine lamps"), reasoning: "counted" }, user("so?")])],
  }));

test("K-OLL-5 a nil content", () =>
  check({
    rule: "K-OLL-5",
    backend: "ollama",
    illegal: request([user("go"), calling(["a"]), answer("a", "moss"), { role: "assistant" }, user("so?")]),
    keeps: ["moss", "so?"],
    legal: [request([user("go"), calling(["a"], { content: "" }), answer("a", ""), assistant(""), user("so?")])],
  }));

test("K-TPL-6 neighbours of one role in a template that wants turns", () =>
  check({
    rule: "K-TPL-6",
    backend: "vllm",
    illegal: request(
      [
        system("be brief"),
        user("List the shed."),
        user([{ type: "text", text: "And the desk." }]),
        assistant("Tidy."),
        assistant("Both."),
        user("Good."),
      ],
      devstral,
    ),
    keeps: ["be brief", "List the shed.", "And the desk.", "Tidy.", "Both.", "Good."],
    legal: [
      request([user("a"), calling(["x"]), answer("x"), assistant("b"), user("c")], devstral),
      request([system("s"), user("a"), calling(["x"]), answer("x"), calling(["y"]), answer("y")], devstral),
      request([user("a"), user("b")], { model: "gpt-oss-20b" }),
    ],
  }));

test("K-TPL-6 a user behind a tool message, words in front of calls, an assistant at the start", () =>
  check({
    rule: "K-TPL-6",
    backend: "llamacpp",
    illegal: request(
      [
        assistant("Welcome."),
        user("go"),
        calling(["a"]),
        answer("a", "denied"),
        user("why?"),
        assistant("Let me look."),
        calling(["b"]),
        answer("b", "locked"),
        assistant("Locked."),
        user("ok"),
      ],
      devstral,
    ),
    keeps: ["Welcome.", "denied", "why?", "Let me look.", "locked", "Locked."],
    legal: [request([user("go"), calling(["a"], { content: "Let me look." }), answer("a"), assistant("b")], devstral)],
  }));

test("K-TPL-6 a system row behind the beginning", () =>
  check({
    rule: "K-TPL-6",
    backend: "lmstudio",
    illegal: request([system("a"), system("b"), user("go"), assistant("c"), system("shed is locked"), user("d")], qwen),
    keeps: ["a", "b", "shed is locked", "d"],
    legal: [
      request([system("a"), user("go"), user("again"), assistant("c")], qwen),
      request([system("a"), user("go"), system("b")], { model: "glm-4.6" }),
    ],
  }));

test("K-ZAI-7 an empty content array in a tool result of the Anthropic format", () =>
  check({
    rule: "K-ZAI-7",
    backend: "zai",
    api: "anthropic-messages",
    illegal: {
      model: "glm-5.2",
      messages: [
        user("go"),
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
        user([
          { type: "tool_result", tool_use_id: "a", content: [] },
          { type: "text", text: "so?" },
        ]),
      ],
    },
    keeps: ["so?"],
    legal: [
      {
        model: "glm-5.2",
        messages: [
          user("go"),
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
          user([{ type: "tool_result", tool_use_id: "a", content: "" }]),
        ],
      },
    ],
  }));

function check({ rule, backend, api, illegal, also = [], keeps, legal }: RuleCase): void {
  checked.add(rule);
  const { rules, repaired } = judged(illegal, backend, api);
  expect(rules).toContain(rule);
  expect(rules.filter((one) => one !== rule && !also.includes(one))).toEqual([]);
  for (const body of legal) expect(judged(body, backend, api), JSON.stringify(body)).toMatchObject({ rules: [] });
  if (keeps === null) {
    expect(repaired).toBeNull();
    return;
  }
  for (const words of keeps) expect(JSON.stringify(repaired)).toContain(words);
  expect(judged(repaired!, backend, api)).toEqual({ rules: [], repaired: null });
}

function judged(
  body: object,
  backend: Backend,
  api: "openai-completions" | "anthropic-messages" = "openai-completions",
): { rules: string[]; repaired: object | null } {
  const judgement = judgeBody(Buffer.from(JSON.stringify(body)), { api, backend });
  if (judgement.kind !== "judged") throw new Error(judgement.kind);
  const hard = judgement.verdict.kind === "unsafe" ? judgement.verdict.hard : [];
  const repaired = judgement.repaired === null ? null : JSON.parse(Buffer.from(judgement.repaired).toString());
  return { rules: [...new Set(hard.map((one) => one.rule))], repaired };
}

interface UnprovenCase {
  readonly rule: string;
  readonly backend: Backend;
  readonly body: object;
  readonly path: string;
}

test("C-EMPTYTOOLS-5 an empty list of tools or calls", () =>
  checkUnproven({
    rule: "C-EMPTYTOOLS-5",
    backend: "openai",
    body: request([user("go"), { ...assistant("x"), tool_calls: [] }]),
    path: "/messages/1/tool_calls",
  }));

test("C-ARG-6 arguments that are no JSON text", () =>
  checkUnproven({
    rule: "C-ARG-6",
    backend: "vllm",
    body: request([
      user("go"),
      calling([], { tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{pa" } }] }),
      answer("a"),
    ]),
    path: "/messages/1/tool_calls/0/function/arguments",
  }));

test("K-OLL-5 thinking in the history of a cloud model", () =>
  checkUnproven({
    rule: "K-OLL-5",
    backend: "ollama",
    body: request([user("go"), { ...assistant("x"), thinking: "hm" }], { model: "gpt-oss:120b-cloud" }),
    path: "/messages/1/thinking",
  }));

function checkUnproven({ rule, backend, body, path }: UnprovenCase): void {
  checked.add(rule);
  expect(judgeBody(Buffer.from(JSON.stringify(body)), { api: "openai-completions", backend })).toMatchObject({
    verdict: { kind: "admit-unverified", soft: [{ class: "unproven_rule", path }] },
    repaired: null,
  });
}

test("DG-7 every rule of the tables has a case here, so switching one off fails a test", () => {
  expect([...chatRules, ...compatibleRules].map(({ id }) => id).filter((id) => !checked.has(id))).toEqual([]);
});

test("DG-7 the words of each server explain its rejection", () => {
  const texts: readonly (readonly [string, string])[] = [
    [
      "C-PAIR-1",
      "400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ],
    [
      "C-PAIR-2",
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ],
    ["C-NULL-3", "Invalid value for 'content': expected a string, got null."],
    ["K-QWEN-8", '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed'],
    ["K-DS-1", "Missing `reasoning_content` field in the assistant message at message index 2."],
    ["K-DS-1", "The `content[].thinking` in the thinking mode must be passed back to the API."],
    ["K-DS-1", "The `reasoning_text` in the thinking mode must be passed back to the API."],
    ["K-KIMI-2", "Invalid request: tool_call_id  is not found"],
    ["K-KIMI-2", "tool_choice 'specified' is incompatible with thinking enabled"],
    [
      "K-GROQ-4",
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    ],
    ["K-OLL-5", "invalid message content type: <nil>"],
    ["K-TPL-6", "Conversation roles must alternate user/assistant/user/assistant/..."],
    [
      "K-TPL-6",
      "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
    ],
    ["K-ZAI-7", "The prompt parameter was not received normally."],
  ];
  for (const [rule, text] of texts) {
    const explaining = [...chatRules, ...compatibleRules].filter(({ match }) => match.some((one) => one.test(text)));
    expect(
      explaining.map(({ id }) => id),
      text,
    ).toEqual([rule]);
  }
});

test("DG-22 a late tool message goes behind its own call before anything is made up", () => {
  const { repaired } = judged(
    request([user("go"), calling(["a"]), answer("a", "old"), calling(["a"]), user("wait"), answer("a", "new")]),
    "openai",
  );
  expect((repaired as { messages: object[] }).messages.slice(3)).toEqual([
    calling(["a"]),
    answer("a", "new"),
    user("wait"),
  ]);
});

test("DG-4 a backend that nobody names gets a report and no repair", () => {
  const body = request([user("go"), calling(["a"]), user("stop")]);
  expect(judgeBody(Buffer.from(JSON.stringify(body)), { api: "openai-completions", backend: "unknown" })).toMatchObject(
    {
      verdict: { kind: "admit-unverified", soft: [{ class: "unproven_rule" }] },
      repaired: null,
    },
  );
});
