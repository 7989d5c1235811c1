/** POST /model/MODEL/converse and /converse-stream. */
import { type Call, reject } from "../call.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import { playTurn } from "../play-turn.ts";
import type { PromptView } from "../prompt-view.ts";
import type { SentEvent } from "../reply.ts";
import { partsOf } from "../script.ts";
import { pieces } from "../text-pieces.ts";
import { eventFrame } from "./event-frame.ts";
import { validateConverse } from "./validate.ts";

export async function answerConverse(call: Call): Promise<void> {
  const { context, captured, body } = call;
  const [, id = "", verb = ""] = /\/model\/([^/]+)\/(converse(?:-stream)?)/.exec(captured.path) ?? [];
  const model = decodeURIComponent(id);
  const verdict = validateConverse(body, model, context);
  // By this header SDKs know which of Bedrock's exceptions it is.
  if ("rule" in verdict) return reject(call, verdict, { "x-amzn-errortype": "ValidationException" });
  const streamed = verb === "converse-stream";
  await playTurn(call, viewPrompt(body), {
    headers: streamed ? { "content-type": "application/vnd.amazon.eventstream" } : {},
    streamed,
    compose: (turn) => {
      const metered = context.meter.measureAutomatic(model, renderPrompt(body));
      captured.metered = metered;
      const content = partsOf(turn).map((part): JsonObject => {
        if (part.kind === "text") return { text: part.text };
        if (part.kind === "thinking") return { reasoningContent: { reasoningText: { text: part.text } } };
        const toolUseId = part.id ?? context.memory.nextId("tooluse_");
        return { toolUse: { toolUseId, name: part.name, input: part.input ?? {} } };
      });
      const calls = content.some((block) => "toolUse" in block);
      const stopReason = turn.stopReason ?? (calls ? "tool_use" : "end_turn");
      const usage = usageOf(metered, content);
      const json = {
        output: { message: { role: "assistant", content } },
        stopReason,
        usage,
        metrics: { latencyMs: 1 },
      };
      return { json, events: framesOf(content, stopReason, usage) };
    },
    errorBody: () => ({ message: "Simulated error" }),
    errorEvent: (payload) => ({ data: eventFrame("internalServerException", asObject(payload)) }),
  });
}

function framesOf(content: readonly JsonObject[], stopReason: string, usage: JsonObject): SentEvent[] {
  const blocks = content.flatMap((block, contentBlockIndex) => [
    ...deltasOf(block).map(([type, piece]) => eventFrame(type, { contentBlockIndex, ...piece })),
    eventFrame("contentBlockStop", { contentBlockIndex }),
  ]);
  return [
    eventFrame("messageStart", { role: "assistant" }),
    ...blocks,
    eventFrame("messageStop", { stopReason }),
    eventFrame("metadata", { usage, metrics: { latencyMs: 1 } }),
  ].map((data) => ({ data }));
}

function deltasOf(block: JsonObject): [string, JsonObject][] {
  const delta = (piece: JsonObject): [string, JsonObject] => ["contentBlockDelta", { delta: piece }];
  const { toolUse, text, reasoningContent } = block;
  if (toolUse === undefined) {
    const thought = asText(asObject(asObject(reasoningContent).reasoningText).text);
    const words = reasoningContent === undefined ? pieces(asText(text)).map((piece) => ({ text: piece })) : [];
    return [...words, ...pieces(thought).map((piece) => ({ reasoningContent: { text: piece } }))].map(delta);
  }
  const { toolUseId, name, input } = asObject(toolUse);
  const rest = pieces(JSON.stringify(input)).map((piece) => delta({ toolUse: { input: piece } }));
  return [["contentBlockStart", { start: { toolUse: { toolUseId, name } } }], ...rest];
}

function usageOf({ read, written, uncached }: MeterTurn, content: readonly JsonObject[]): JsonObject {
  const outputTokens = promptTokens(JSON.stringify(content));
  const inputTokens = written + uncached;
  return { inputTokens, outputTokens, totalTokens: read + inputTokens + outputTokens, cacheReadInputTokens: read };
}

function renderPrompt({ toolConfig = {}, system = [], messages }: JsonObject): string {
  return [toolConfig, system, ...asObjects(messages)].map((part) => JSON.stringify(part)).join("\n");
}

function viewPrompt(body: JsonObject): PromptView {
  const blocks = asObjects(asObjects(body.messages).at(-1)?.content);
  const texts = blocks.flatMap((block) => (typeof block.text === "string" ? [block.text] : []));
  const result = blocks.find((block) => "toolResult" in block);
  const tools = asObjects(asObject(body.toolConfig).tools).map((tool) => asObject(tool.toolSpec));
  return {
    userText: texts.join("\n"),
    resultText: result === undefined ? null : JSON.stringify(asObject(result.toolResult).content),
    tools: tools.map(({ name, inputSchema }) => ({ name: asText(name), schema: asObject(asObject(inputSchema).json) })),
  };
}
