/**
 * What encoders of real agents do to a prepared history: rows pulled forward, split, merged, renamed, trimmed. A guard
 * that compares by position refuses each of them; few of them are illegal.
 */
import * as anthropic from "../dispatch/anthropic-body.ts";
import * as chat from "../dispatch/chat-body.ts";
import * as responses from "../dispatch/responses-body.ts";
import type { PlainRow } from "./positional-comparer.ts";
import type { StarterCase } from "./starter-case.ts";

const { assistant, call, result, text, thinking, user } = anthropic;

type Move = readonly [id: string, prepared: readonly PlainRow[], observed: readonly PlainRow[], more?: object];

const turn = [user("go"), assistant([call("a"), call("b")])];
const twice = [user("go"), assistant([call("a")]), user([result("a")]), assistant([call("a")]), user([result("a")])];
const renamed = [...twice.slice(0, 3), assistant([call("a_dup2")]), user([result("a_dup2")])];
const picture = anthropic.image(640, 480);

const ANTHROPIC: readonly Move[] = [
  [
    "forward-pull",
    [user("go"), assistant([call("a")]), user("a steer message"), user([result("a")])],
    [user("go"), assistant([call("a")]), user([result("a")]), user("a steer message")],
  ],
  ["split-batch", [...turn, user([result("a"), result("b")])], [...turn, user([result("a")]), user([result("b")])]],
  ["swapped-results", [...turn, user([result("a"), result("b")])], [...turn, user([result("b"), result("a")])]],
  ["dup-suffix", twice, renamed],
  [
    "foreign-thinking-dropped",
    [user("go"), assistant([thinking("plan"), text("well")]), user("more")],
    [user("go"), assistant([text("well")]), user("more")],
  ],
  ["reminder-row", [user("go"), assistant([text("well")])], [user("go"), assistant([text("well")]), user("a reminder")]],
  ["reminder-block", [user([text("go")])], [user([text("go"), text("a reminder")])]],
  ["image-trimmed", [user([text("look"), picture])], [user([text("look"), text("an image was here")])]],
  ["string-for-blocks", [user([text("go")])], [user("go")]],
  ["rows-merged", [user("go"), user("quickly")], [user([text("go"), text("quickly")])]],
  ["summary-in-front", [user("go"), assistant([text("well")]), user("more")], [user("a summary"), user("more")]],
  [
    "system-row-placed",
    [user("go"), assistant([text("well")]), user("more")],
    [user("go"), { role: "system", content: "be brief" }, assistant([text("well")]), user("more")],
    { model: "claude-opus-5-5" },
  ],
  [
    "result-lost",
    [...turn, user([result("a"), result("b")]), assistant([text("well")]), user("more")],
    [...turn, user([result("a")]), assistant([text("well")]), user("more")],
  ],
  ["call-lost", [...turn, user([result("a"), result("b")])], [user("go"), user([result("a"), result("b")])]],
];

const CHAT: readonly Move[] = [
  [
    "forward-pull",
    [chat.user("go"), chat.calling(["a"]), chat.user("a steer message"), chat.answer("a")],
    [chat.user("go"), chat.calling(["a"]), chat.answer("a"), chat.user("a steer message")],
  ],
  [
    "swapped-answers",
    [chat.user("go"), chat.calling(["a", "b"]), chat.answer("a"), chat.answer("b")],
    [chat.user("go"), chat.calling(["a", "b"]), chat.answer("b"), chat.answer("a")],
  ],
  ["answer-lost", [chat.user("go"), chat.calling(["a"]), chat.answer("a")], [chat.user("go"), chat.calling(["a"])]],
];

const RESPONSES: readonly Move[] = [
  [
    "forward-pull",
    [responses.user("go"), responses.call("a"), responses.user("a steer message"), responses.output("a")],
    [responses.user("go"), responses.call("a"), responses.output("a"), responses.user("a steer message")],
  ],
  [
    "chained-continuation",
    [responses.user("go"), responses.call("a"), responses.output("a")],
    [responses.output("a")],
    { previous_response_id: "resp_1", store: true },
  ],
  [
    "foreign-reasoning-dropped",
    [responses.user("go"), responses.reasoning("rs_1"), responses.said("well"), responses.user("more")],
    [responses.user("go"), responses.said("well"), responses.user("more")],
  ],
];

export const MOVE_CASES: readonly StarterCase[] = [
  ...ANTHROPIC.map(
    ([id, prepared, observed, more]): StarterCase => ({
      id: `moves/anthropic-${id}`,
      api: "anthropic-messages",
      backend: "anthropic",
      body: anthropic.request(observed, more),
      prepared,
    }),
  ),
  ...CHAT.map(
    ([id, prepared, observed, more]): StarterCase => ({
      id: `moves/chat-${id}`,
      api: "openai-completions",
      backend: "openai",
      body: chat.request(observed, more),
      prepared,
    }),
  ),
  ...RESPONSES.map(
    ([id, prepared, observed, more]): StarterCase => ({
      id: `moves/responses-${id}`,
      api: "openai-responses",
      backend: "openai",
      body: responses.request(observed, more),
      prepared,
    }),
  ),
];
