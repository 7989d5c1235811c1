/** POST /v1/messages and /v1/messages/count_tokens. */
import { accept, type Call, reject } from "../call.ts";
import type { JsonObject } from "../json-value.ts";
import type { PromptSegment } from "../meter/marked-cache.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import { playTurn } from "../play-turn.ts";
import { partsOf, type ScriptedTurn } from "../script.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import type { BindingResult } from "./binding.ts";
import { diagnose } from "./diagnosis.ts";
import { anthropicError } from "./error.ts";
import { composeContent, rememberThinking } from "./issue.ts";
import { messageEvents } from "./message-events.ts";
import { lifeOf, messageSegments, systemSegments, toolSegments } from "./prompt-segments.ts";
import { viewPrompt } from "./prompt-view.ts";
import { bindingBeta } from "./settings.ts";
import { claimThread, holdThread } from "./thread.ts";
import { validateAnthropic } from "./validate.ts";

export async function answerMessages(call: Call): Promise<void> {
  const { context, body } = call;
  const headers = { "request-id": context.memory.nextId("req_01") };
  const verdict = validateAnthropic(body, context, call.captured.headers);
  if ("rule" in verdict) {
    reject(call, { ...verdict, body: { ...verdict.body, request_id: headers["request-id"] } }, headers);
    return;
  }
  const { request, binding } = verdict;
  const id = context.memory.nextId("msg_01");
  let content: readonly JsonObject[] = [];
  claimThread(body, context);
  const whole = await playTurn(call, viewPrompt(request), {
    headers,
    compose: (turn) => {
      const metered = context.meter.measureMarked(
        request.model.id,
        segmentsOf(request, binding),
        request.model.cacheMinimumTokens,
      );
      call.captured.metered = metered;
      content = composeContent(request, binding.end, partsOf(turn));
      rememberThinking(request, binding.end, content);
      const message = composeMessage(request, binding, { id, content, metered, turn });
      return { json: message, events: messageEvents(message) };
    },
    errorBody: (status) => anthropicError({ status, message: status === 529 ? "Overloaded" : "Simulated error" }),
    errorEvent: (data) => ({ event: "error", data }),
  });
  holdThread(body, request.body, whole ? { id, content } : null, context);
}

export function countTokens(call: Call): void {
  const verdict = validateAnthropic(call.body, call.context, call.captured.headers);
  if ("rule" in verdict) {
    reject(call, verdict);
    return;
  }
  const segments = segmentsOf(verdict.request, verdict.binding).filter((one) => one.weightless !== true);
  accept(call, { input_tokens: segments.reduce((sum, one) => sum + promptTokens(one.text), 0) });
}

/** The prompt as the cache sees it: settings of the messages part change its key and hold no tokens. */
function segmentsOf({ body, conversation }: AnthropicRequest, { dropped }: BindingResult): PromptSegment[] {
  const settings = JSON.stringify([body.thinking, body.tool_choice, body.output_config]);
  const messages = [...messageSegments(conversation)].filter(({ block }) => block === null || !dropped.has(block));
  const segments: PromptSegment[] = [
    ...toolSegments(body),
    ...systemSegments(body),
    { text: settings, weightless: true },
    ...messages.map((one) => one.segment),
  ];
  // Automatic caching: a marker on the request stands for one on the last block.
  const automatic = lifeOf(body);
  const last = segments.at(-1);
  if (automatic !== undefined && last !== undefined) segments[segments.length - 1] = { marker: automatic, ...last };
  return segments;
}

function composeMessage(
  request: AnthropicRequest,
  binding: BindingResult,
  answer: { id: string; content: readonly JsonObject[]; metered: MeterTurn; turn: ScriptedTurn },
): JsonObject {
  const { id, content, metered, turn } = answer;
  const diagnostics = diagnose(request, id);
  const called = content.some((block) => block.type === "tool_use");
  return {
    id,
    type: "message",
    role: "assistant",
    model: request.model.id,
    content,
    stop_reason: turn.stopReason ?? (called ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: usageOf(metered, content),
    ...(diagnostics === undefined ? {} : { diagnostics }),
    ...(request.betas.has(bindingBeta) ? { input_transformations: binding.transformations } : {}),
  };
}

function usageOf({ read, written, written1h, uncached }: MeterTurn, content: readonly JsonObject[]): JsonObject {
  return {
    input_tokens: uncached,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written - written1h, ephemeral_1h_input_tokens: written1h },
    output_tokens: promptTokens(JSON.stringify(content)),
    service_tier: "standard",
  };
}
