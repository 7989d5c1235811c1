/** Answers a Converse request as Bedrock would: strict turns, pairs by id and by number, and what single models mind. */
import { asList, asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import { createProviderContext, type ProviderContext } from "../provider-context.ts";
import { firstEnforced, type Rejection } from "../rejection.ts";

export type ConverseVerdict =
  | { readonly status: 200 }
  | { readonly status: number; readonly rule: string; readonly body: JsonObject };

interface ConverseMessage {
  readonly at: number;
  readonly role: string;
  readonly blocks: readonly JsonObject[];
  readonly uses: readonly JsonObject[];
  readonly results: readonly JsonObject[];
}

/** @param model as the path names it */
export function validateConverse(
  body: unknown,
  model: string,
  context: ProviderContext = createProviderContext(),
): ConverseVerdict {
  const { accepts, extraRules } = context.settings;
  const rejection = firstEnforced(body, findings(asObject(body), model), extraRules, accepts);
  if (rejection === null) return { status: 200 };
  return { status: rejection.status ?? 400, rule: rejection.rule, body: { message: rejection.message } };
}

function* findings(body: JsonObject, model: string): Generator<Rejection> {
  const messages = asObjects(body.messages).map(readMessage);
  if (messages.length === 0) yield { rule: "schema", message: "The messages field is required." };
  yield* configFindings(body, messages);
  for (const message of messages) {
    yield* turnFindings(message, messages[message.at - 1]);
    yield* pairFindings(message, messages[message.at - 1], messages[message.at + 1]);
    yield* errorFindings(message);
    if (!/claude/.test(model) && /(amazon|meta|mistral|cohere|deepseek|openai|qwen)\./.test(model)) {
      yield* otherModelFindings(message);
    }
  }
  if (
    /(meta|mistral|cohere|deepseek|openai|qwen)\.|amazon\.titan|claude-(v2|instant|3-(haiku|sonnet|opus))/.test(model)
  ) {
    yield* cachePointFindings(body, messages);
  }
}

function readMessage(message: JsonObject, at: number): ConverseMessage {
  const blocks = asObjects(message.content);
  return {
    at,
    role: asText(message.role),
    blocks,
    uses: blocks.filter((block) => "toolUse" in block).map((block) => asObject(block.toolUse)),
    results: blocks.filter((block) => "toolResult" in block).map((block) => asObject(block.toolResult)),
  };
}

function* configFindings(body: JsonObject, messages: readonly ConverseMessage[]): Generator<Rejection> {
  const offered = asList(asObject(body.toolConfig).tools);
  const used = messages.some(({ uses, results }) => uses.length + results.length > 0);
  if (offered.length > 0 || !used) return;
  yield {
    rule: "B-CFG-4",
    message: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  };
}

function* turnFindings(
  { at, role, blocks }: ConverseMessage,
  before: ConverseMessage | undefined,
): Generator<Rejection> {
  const rule = "B-ROLE-8";
  if (before === undefined && role !== "user") {
    yield {
      rule,
      message:
        "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    };
  }
  if (before?.role === role) {
    yield {
      rule,
      message: 'messages: roles must alternate between "user" and "assistant", but found multiple in a row',
    };
  }
  if (blocks.length === 0)
    yield { rule, message: `The content field in the Message object at messages.${at} is empty.` };
  for (const [index, block] of blocks.entries()) {
    if (typeof block.text === "string" && /^\s*$/.test(block.text)) {
      yield { rule, message: `The text field in the ContentBlock object at messages.${at}.content.${index} is blank.` };
    }
  }
}

function* pairFindings(
  { at, role, uses, results }: ConverseMessage,
  before: ConverseMessage | undefined,
  behind: ConverseMessage | undefined,
): Generator<Rejection> {
  const called = before?.role === "assistant" ? before.uses.length : 0;
  if (role === "user" && results.length > called) {
    const message = `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`;
    yield { rule: "B-PAIR-2", message };
  }
  if (role !== "assistant" || uses.length === 0) return;
  const ids = uses.map((use) => asText(use.toolUseId));
  const twice = ids.filter((id, index) => ids.indexOf(id) < index);
  if (twice.length > 0) {
    const message = `The toolUse blocks at messages.${at}.content contain duplicate Ids: ${twice.join(", ")}`;
    yield { rule: "B-DUP-3", message };
  }
  const answered = new Set(behind?.role === "user" ? behind.results.map((result) => asText(result.toolUseId)) : []);
  const open = ids.filter((id) => !answered.has(id));
  if (open.length === 0) return;
  const message = `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${open.join(", ")}`;
  yield { rule: "B-PAIR-1", message };
}

function* errorFindings({ at, blocks }: ConverseMessage): Generator<Rejection> {
  for (const [index, block] of blocks.entries()) {
    const result = asObject(block.toolResult);
    if (result.status !== "error" || asList(result.content).length > 0) continue;
    const message = `The content field at messages.${at}.content.${index}.toolResult cannot be empty when status value is error.`;
    yield { rule: "B-ERR-6", message };
  }
}

/** What models of other vendors than Anthropic mind. */
function* otherModelFindings({ role, blocks, results }: ConverseMessage): Generator<Rejection> {
  const words = blocks.filter((block) => "text" in block || "image" in block || "document" in block);
  if (role === "user" && results.length > 0 && words.length > 0) {
    yield {
      rule: "B-MIX-5",
      message: "Conversation blocks and tool result blocks cannot be provided in the same turn.",
    };
  }
  for (const block of blocks) {
    if (!("reasoningContent" in block)) continue;
    if (role === "user") yield { rule: "B-REAS-7", message: "User messages cannot contain reasoning content" };
    const { reasoningText, redactedContent } = asObject(block.reasoningContent);
    if (asObject(reasoningText).signature === undefined && redactedContent === undefined) continue;
    yield {
      rule: "B-REAS-7",
      message: "This model doesn't support the reasoningContent.reasoningText.signature field.",
    };
  }
}

function* cachePointFindings(body: JsonObject, messages: readonly ConverseMessage[]): Generator<Rejection> {
  const lists = [
    asObjects(asObject(body.toolConfig).tools),
    asObjects(body.system),
    ...messages.map(({ blocks }) => blocks),
  ];
  if (!lists.some((list) => list.some((block) => "cachePoint" in block))) return;
  yield {
    rule: "B-CP-9",
    message: "You invoked an unsupported model or your request did not allow prompt caching: cachePoint",
  };
}
