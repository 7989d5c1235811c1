/** An answer in the shapes of Chat Completions: one object, or chunks. */

import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { ProviderMemory } from "../provider-memory.ts";
import type { SentEvent } from "../reply.ts";
import { partsOf, type ScriptedTurn } from "../script.ts";
import { pieces } from "../text-pieces.ts";
import type { ChatRequest } from "./chat-request.ts";

/** Back ends that send reasoning as text beside the content; OpenAI itself shows none here. */
const showsReasoning = new Set([
  "deepseek",
  "moonshot",
  "qwen",
  "groq",
  "cerebras",
  "ollama",
  "vllm",
  "llamacpp",
  "lmstudio",
]);

export function composeMessage(request: ChatRequest, turn: ScriptedTurn, memory: ProviderMemory): JsonObject {
  const parts = partsOf(turn);
  const calls = parts.flatMap((part) =>
    part.kind === "tool-call"
      ? [
          {
            id: part.id ?? callId(request, memory),
            type: "function",
            function: { name: part.name, arguments: JSON.stringify(part.input ?? {}) },
          },
        ]
      : [],
  );
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
  const reasoning = parts.flatMap((part) => (part.kind === "thinking" ? [part.text] : [])).join("");
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && showsReasoning.has(request.backend) ? { reasoning_content: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function callId({ backend }: ChatRequest, memory: ProviderMemory): string {
  const id = memory.nextId("call_");
  return backend === "mistral"
    ? memory
        .seal("call", id)
        .replaceAll(/[^a-zA-Z0-9]/g, "")
        .slice(0, 9)
    : id;
}

export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly message: JsonObject;
  readonly finishReason: string;
  readonly usage: JsonObject;
}

export function completionJson({ id, model, created, message, finishReason, usage }: Completion): JsonObject {
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
  return { id, object: "chat.completion", created, model, choices: [choice], usage };
}

/** @param withUsage the client asked for a last chunk with the token counts */
export function completionEvents(completion: Completion, withUsage: boolean): SentEvent[] {
  const { message, finishReason, usage } = completion;
  const deltas: JsonObject[] = [
    { role: "assistant", content: message.content === null ? null : "" },
    ...pieces(asText(message.reasoning_content)).map((reasoning_content) => ({ reasoning_content })),
    ...pieces(asText(message.content)).map((content) => ({ content })),
    ...asObjects(message.tool_calls).flatMap((call, index) => callDeltas(call, index)),
  ];
  return [
    ...deltas.map((delta) => chunk(completion, [{ index: 0, delta, logprobs: null, finish_reason: null }])),
    chunk(completion, [{ index: 0, delta: {}, logprobs: null, finish_reason: finishReason }]),
    ...(withUsage ? [chunk(completion, [], usage)] : []),
    { data: "[DONE]" },
  ];
}

function callDeltas(call: JsonObject, index: number): JsonObject[] {
  const { name, arguments: text } = asObject(call.function);
  const opened = { index, id: call.id, type: "function", function: { name, arguments: "" } };
  const rest = pieces(asText(text)).map((piece) => ({ index, function: { arguments: piece } }));
  return [opened, ...rest].map((one) => ({ tool_calls: [one] }));
}

function chunk({ id, model, created }: Completion, choices: readonly JsonObject[], usage?: JsonObject): SentEvent {
  const data = { id, object: "chat.completion.chunk", created, model, choices };
  return { data: usage === undefined ? data : { ...data, usage } };
}
