/** One small body for each kind of fault, and one for each kind of structure that looks like a fault and is none. */
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as bedrock from "../dispatch/converse-body.ts";
import * as google from "../dispatch/google-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import type { StarterCase } from "./starter-case.ts";

const { assistant, call, result, text, thinking, user } = anthropic;
const marked = { ...text("go"), cache_control: { type: "ephemeral" } };
const signed = [thinking("first the plan"), call("a")];
const bound = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };

const ANTHROPIC: Readonly<Record<string, object>> = {
  "open-call": anthropic.request([user("go"), assistant([call("a")]), user("stop, please")]),
  "orphan-result": anthropic.request([user("go"), assistant([text("well")]), user([result("a", "twelve candles")])]),
  "late-result": anthropic.request([
    user("go"),
    assistant([call("a"), call("b")]),
    user([result("a"), text("note"), result("b", "nine")]),
  ]),
  "text-behind-call": anthropic.request([user("go"), assistant([call("a"), text("looking")]), user([result("a")])]),
  "result-in-assistant-row": anthropic.request([user("go"), assistant([call("a"), result("a")]), user("and?")]),
  "composite-id": anthropic.request([user("go"), assistant([call("call_1|fc_1")]), user([result("call_1|fc_1")])]),
  "two-results": anthropic.request([user("go"), assistant([call("a")]), user([result("a"), result("a", "again")])]),
  "empty-text": anthropic.request([user("go"), assistant([text("")]), user("more")]),
  "half-emoji": anthropic.request([user("go \ud83d"), assistant([text("well")]), user("more")]),
  "nul-in-result": anthropic.request([user("go"), assistant([call("a")]), user([result("a", "one\u0000two")])]),
  "blank-signature": anthropic.request([
    user("go"),
    assistant([{ ...thinking("plan"), signature: "" }, call("a")]),
    user([result("a")]),
  ]),
  "five-markers": anthropic.request([user([marked, marked, marked, marked, marked])]),
  "wide-image-of-many": anthropic.request([
    user([anthropic.image(2001, 8), ...Array.from({ length: 20 }, () => anthropic.image(640, 8))]),
  ]),
  "trailing-space": anthropic.request([user("go"), assistant([text("well  ")])]),
  prefill: anthropic.request([user("go"), assistant([text("well")])], { model: "claude-opus-4-6" }),
  "system-row-on-old-model": anthropic.request([user("go"), { role: "system", content: "be brief" }, user("more")]),
  "forced-tool-on-fable": anthropic.request([user("go")], { model: "claude-fable-5-1", tool_choice: { type: "any" } }),
  "ok-results-in-any-order": anthropic.request([
    user("go"),
    assistant([call("a"), call("b")]),
    user([result("b")]),
    user([result("a"), text("by the way")]),
  ]),
  "ok-thread-continue": anthropic.request([user([result("a")])], {
    thread: { type: "continue", previous_message_id: "msg_1" },
  }),
  "ok-block-from-the-future": anthropic.request([
    user("go"),
    assistant([call("a"), { type: "from_the_future", id: "x" }]),
    user("stop"),
  ]),
};

const CHAT: Readonly<Record<string, object>> = {
  "open-call": chat.request([chat.user("go"), chat.calling(["a"]), chat.user("stop")]),
  "orphan-tool-row": chat.request([chat.user("go"), chat.assistant("well"), chat.answer("a")]),
  "row-between": chat.request([chat.user("go"), chat.calling(["a"]), chat.user("wait"), chat.answer("a")]),
  "null-content": chat.request([chat.user("go"), { role: "assistant", content: null }, chat.user("more")]),
  "long-tool-name": chat.request([chat.user("go")], { tools: [chat.tool("n".repeat(65))] }),
  "ok-answers-in-any-order": chat.request([chat.user("go"), chat.calling(["a", "b"]), chat.answer("b"), chat.answer("a")]),
};

const RESPONSES: Readonly<Record<string, object>> = {
  "open-call": responses.request([responses.user("go"), responses.call("a"), responses.user("stop")]),
  "orphan-output": responses.request([responses.user("go"), responses.output("a")]),
  "foreign-item-id": responses.request([responses.user("go"), responses.said("well", { id: "m/1" }), responses.user("x")]),
  "ok-user-row-between": responses.request([
    responses.user("go"),
    responses.call("a"),
    responses.user("and quickly"),
    responses.output("a"),
  ]),
  "ok-previous-response": responses.request([responses.output("a")], { previous_response_id: "resp_1", store: true }),
};

const GOOGLE: Readonly<Record<string, object>> = {
  "call-at-the-front": google.request([google.model(google.call()), google.user(google.response()), google.model("well"), google.user("x")]),
  "stray-response": google.request([google.user("go"), google.model("well"), google.user(google.response())]),
  "one-of-two-responses": google.request([google.user("go"), google.model(google.call(), google.call()), google.user(google.response())]),
  "empty-part": google.request([google.user("go", ""), google.model("well"), google.user("more")]),
  "ends-with-the-model": google.request([google.user("go"), google.model("well")]),
  "ok-cached-content": google.request([google.user(google.response())], { cachedContent: "cachedContents/1" }),
};

const CONVERSE: Readonly<Record<string, object>> = {
  "open-call": bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a")), bedrock.user("stop")]),
  "surplus-result": bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a")), bedrock.user(bedrock.result("a"), bedrock.result("x"))]),
  "two-user-rows": bedrock.request([bedrock.user("go"), bedrock.user("more")]),
  "no-tool-config": bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a")), bedrock.user(bedrock.result("a"))], { toolConfig: undefined }),
  "ok-words-behind-results": bedrock.request([bedrock.user("go"), bedrock.assistant(bedrock.call("a.b:c")), bedrock.user(bedrock.result("a.b:c"), "and?")]),
};

const MISTRAL: Readonly<Record<string, object>> = {
  "openai-id": chat.request([chat.user("go"), chat.calling(["call_1"]), chat.answer("call_1")]),
  "user-behind-tool": chat.request([chat.user("go"), chat.calling(["aB3456789"]), chat.answer("aB3456789"), chat.user("x")]),
  "tool-behind-user": chat.request([chat.user("go"), chat.answer("aB3456789"), chat.assistant("well"), chat.user("x")]),
  "ends-with-the-assistant": chat.request([chat.user("go"), chat.assistant("well")]),
  "ok-prefix": chat.request([chat.user("go"), { ...chat.assistant("well"), prefix: true }]),
};

export const RULE_CASES: readonly StarterCase[] = [
  ...casesOf("anthropic", { api: "anthropic-messages", backend: "anthropic" }, ANTHROPIC),
  ...casesOf("chat", { api: "openai-completions", backend: "openai" }, CHAT),
  ...casesOf("responses", { api: "openai-responses", backend: "openai" }, RESPONSES),
  ...casesOf("google", { api: "google-generative-ai", backend: "google" }, GOOGLE),
  ...casesOf("converse", { api: "bedrock-converse-stream", backend: "bedrock" }, CONVERSE),
  ...casesOf("mistral", { api: "mistral-conversations", backend: "mistral" }, MISTRAL),
  {
    id: "anthropic/bound-thinking-behind-another-prefix",
    api: "anthropic-messages",
    backend: "anthropic",
    body: anthropic.request([user("changed"), assistant(signed), user([result("a")])], bound),
    received: [
      {
        api: "anthropic-messages",
        backend: "anthropic",
        request: anthropic.request([user("go")], bound),
        response: { id: "msg_1", type: "message", role: "assistant", content: signed },
      },
    ],
  },
];

function casesOf(
  folder: string,
  target: Pick<StarterCase, "api" | "backend">,
  bodies: Readonly<Record<string, object>>,
): StarterCase[] {
  return Object.entries(bodies).map(([name, body]) => ({ id: `${folder}/${name}`, ...target, body }));
}
