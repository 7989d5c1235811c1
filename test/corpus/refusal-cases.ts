/**
 * Histories in the rows of Pi and OMP that their encoders do not write down row by row: what proposal 761 names, and what
 * broken sessions hold. Names and words are made up.
 */
import type { AgentMessage } from "../../src/hosts/agent-api.ts";

export const REFUSAL_APIS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "openai-codex-responses",
] as const;
export type RefusalApi = (typeof REFUSAL_APIS)[number];

export const REFUSAL_HOSTS = ["pi", "omp"] as const;
export type RefusalHost = (typeof REFUSAL_HOSTS)[number];

/** The model that each API is asked for. */
export const REFUSAL_MODELS = {
  "anthropic-messages": { provider: "anthropic", id: "claude-opus-5-5", reasons: true },
  "openai-completions": { provider: "openai", id: "gpt-4.1", reasons: false },
  "openai-responses": { provider: "openai", id: "gpt-5.5", reasons: true },
  "openai-codex-responses": { provider: "openai-codex", id: "gpt-5.6-sol", reasons: true },
} as const;

export interface RefusalCase {
  readonly id: string;
  /** What the host holds, and means to send. */
  readonly messages: readonly AgentMessage[];
  /** What reaches the encoder where somebody else changed it in between. */
  readonly sent?: readonly AgentMessage[];
  /** Rows behind the reply to `messages`: the host then sends the difference only. */
  readonly continued?: readonly AgentMessage[];
  readonly blind?: boolean;
  /** Absent: both. */
  readonly host?: RefusalHost;
}

/** On Codex the encoders are those of Responses: only what tells them apart is tried there. */
const CODEX_IDS = new Set([
  "undisturbed",
  "user-row-before-result",
  "repeated-id",
  "custom-notice",
  "chained-continuation",
]);

export function refusalCases(api: RefusalApi, host: RefusalHost): readonly RefusalCase[] {
  return casesOn(api).filter(
    (one) => (one.host ?? host) === host && (api !== "openai-codex-responses" || CODEX_IDS.has(one.id)),
  );
}

function casesOn(api: RefusalApi): readonly RefusalCase[] {
  const { provider, id: model } = REFUSAL_MODELS[api];
  const own = { role: "assistant", api, provider, model, usage: USAGE, timestamp: 2 };
  const foreign = { ...own, api: "google-generative-ai", provider: "google", model: "gemini-3" };
  const says = (...content: object[]): AgentMessage => ({ ...own, content, stopReason: stopOf(content) });
  const other = (...content: object[]): AgentMessage => ({ ...foreign, content, stopReason: stopOf(content) });
  const worked = [user("go"), says(call("one")), result("one"), says(text("well"))];
  const both = says(call("one"), call("two"));
  return [
    { id: "undisturbed", messages: [...worked, user("on")] },
    { id: "user-row-before-result", messages: [user("go"), says(call("one")), notice, result("one"), user("on")] },
    { id: "notice-before-result", messages: [user("go"), says(call("one")), custom, result("one"), user("on")] },
    {
      id: "user-row-between-results",
      messages: [user("go"), both, result("two"), notice, result("one"), says(text("well")), user("on")],
    },
    { id: "results-in-another-order", messages: [user("go"), both, result("two"), result("one"), user("on")] },
    {
      id: "repeated-id",
      messages: [...worked, user("again"), says(call("one")), result("one", "another"), user("on")],
    },
    {
      id: "reply-of-another-model",
      messages: [user("go"), other(thought, text("I look."), call("a|fc+2")), result("a|fc+2"), user("on")],
    },
    { id: "reasoning-of-another-model", messages: [user("go"), other(thought), user("on")] },
    {
      id: "reasoning-without-a-seal",
      messages: [user("go"), says({ ...thought, thinkingSignature: undefined }), user("on")],
    },
    {
      id: "reasoning-beside-words",
      messages: [user("go"), says({ ...thought, thinkingSignature: undefined }, text("well")), user("on")],
    },
    { id: "custom-notice", messages: [...worked, custom, user("on")] },
    {
      id: "command-of-the-user",
      messages: [
        ...worked,
        { role: "bashExecution", command: "ls", output: "jars", exitCode: 0, timestamp: 4 },
        user("on"),
      ],
    },
    {
      id: "compaction-summary",
      messages: [
        { role: "compactionSummary", summary: "Jars were counted.", tokensBefore: 9, timestamp: 1 },
        user("on"),
      ],
    },
    {
      id: "branch-summary",
      messages: [
        ...worked,
        { role: "branchSummary", summary: "Another way was tried.", fromId: "1", timestamp: 4 },
        user("on"),
      ],
    },
    { id: "picture-for-a-blind-model", messages: [user([text("Look:"), picture])], blind: true },
    { id: "picture", messages: [user([text("Look:"), picture])] },
    {
      id: "picture-in-a-result",
      messages: [user("go"), says(call("one")), { ...result("one"), content: [text("see"), picture] }, user("on")],
    },
    {
      id: "picture-in-a-failed-result",
      messages: [
        user("go"),
        says(call("one")),
        { ...result("one"), content: [text("see"), picture], isError: true },
        user("on"),
      ],
    },
    { id: "call-without-result", messages: [user("go"), says(call("one")), user("on")] },
    { id: "one-of-two-without-result", messages: [user("go"), both, result("two"), user("on")] },
    { id: "result-without-call", messages: [user("go"), result("nobody"), user("on")] },
    {
      id: "second-result",
      messages: [user("go"), says(call("one")), result("one"), result("one", "another"), user("on")],
    },
    { id: "result-before-its-call", messages: [user("go"), result("one"), says(call("one")), user("on")] },
    { id: "broken-off-words", messages: [user("go"), { ...says(text("I was")), stopReason: "aborted" }, user("on")] },
    {
      id: "broken-off-call",
      messages: [user("go"), { ...says(call("one")), stopReason: "aborted" }, result("one"), user("on")],
    },
    { id: "blank-user-row", messages: [...worked, user("  "), user("on")] },
    { id: "rows-of-one-role", messages: [user("go"), user("on")] },
    { id: "blocks-for-a-string", messages: [user([text("go")]), says(text("well")), user([text("on")])] },
    {
      id: "two-words-in-one-reply",
      messages: [user("go"), says(text("One."), text("Two."), call("one")), result("one"), user("on")],
    },
    {
      id: "words-behind-a-call",
      messages: [user("go"), says(text("I look."), call("one"), text("Wait.")), result("one"), user("on")],
    },
    { id: "half-a-character", messages: [user("a\ud800b")] },
    { id: "white-space-at-the-end", messages: [user("go"), says(text("well \n\n")), user("on")] },
    {
      id: "result-without-words",
      messages: [user("go"), says(call("one")), { ...result("one"), content: [] }, user("on")],
    },
    { id: "reply-at-the-end", messages: [user("go"), says(text("well"))] },
    { id: "bookkeeping", messages: [...worked.map(kept), user("on")] },
    {
      id: "results-dropped-by-an-extension",
      messages: [user("go"), both, result("one", LONG), result("two", LONG), says(text("well")), user("on")],
      sent: [
        user("go"),
        both,
        result("one", "[dropped 1]"),
        result("two", "[dropped 2]"),
        says(text("well")),
        user("on"),
      ],
    },
    {
      id: "pairs-dropped-by-an-extension",
      messages: [user("go"), both, result("one"), result("two"), says(text("well")), user("on")],
      sent: [user("go"), says(call("two")), result("two"), says(text("well")), user("on")],
    },
    {
      id: "reminder-of-an-extension",
      messages: [...worked, user("on")],
      sent: [...worked, user("on"), user("<reminder>Be brief.</reminder>")],
    },
    { id: "placed-system-row", messages: [...worked, SYSTEM_ROW, user("on")], host: "pi" },
    ...CHAINS[api].map((host) => ({
      id: "chained-continuation",
      messages: [user("go")],
      continued: continuedOn(api),
      host,
    })),
  ];
}

const USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Who sends the difference only, on which API. */
const CHAINS: Readonly<Record<RefusalApi, readonly RefusalHost[]>> = {
  "anthropic-messages": ["pi"],
  "openai-completions": [],
  "openai-responses": ["omp"],
  "openai-codex-responses": ["pi"],
};

const LONG = "Twelve jars of plums stand on the shelf. ".repeat(8).trim();

const notice = user("Mind the time.");
const custom: AgentMessage = {
  role: "custom",
  customType: "note",
  content: "Rain is near.",
  display: true,
  timestamp: 3,
};
const thought = { type: "thinking", thinking: "Plums, then.", thinkingSignature: "c2VhbGVk" };
const picture = {
  type: "image",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  mimeType: "image/png",
};
const SYSTEM_ROW: AgentMessage = {
  role: "system",
  content: "Plums are out.",
  sections: { season: "Plums are out." },
  timestamp: 4,
};

/** Responses APIs have two ids for a call; hosts keep both in one. */
function continuedOn(api: RefusalApi): readonly AgentMessage[] {
  const id = api === "anthropic-messages" ? "call_9" : "call_9|fc_9";
  return [result(id, "what call_9 found"), user("on")];
}

function user(content: unknown): AgentMessage {
  return { role: "user", content, timestamp: 1 };
}

function text(words: string): object {
  return { type: "text", text: words };
}

function call(id: string): object {
  return { type: "toolCall", id, name: "bash", arguments: { command: "ls" } };
}

function result(id: string, words = `what ${id} found`): AgentMessage {
  return { role: "toolResult", toolCallId: id, toolName: "bash", content: [text(words)], isError: false, timestamp: 3 };
}

function stopOf(content: readonly object[]): string {
  return content.some((part) => "arguments" in part) ? "toolUse" : "stop";
}

/** What hosts note about a row beside its content. */
function kept(message: AgentMessage, index: number): AgentMessage {
  return { ...message, timestamp: 1_000 + index, completedAt: 2_000 + index, contextSnapshot: { tokens: index } };
}
