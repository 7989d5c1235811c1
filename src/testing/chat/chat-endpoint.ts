/** POST /v1/chat/completions. */
import { type Call, reject } from "../call.ts";
import { asObject, type JsonObject } from "../json-value.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import { playTurn } from "../play-turn.ts";
import type { ChatRequest } from "./chat-request.ts";
import { type Completion, completionEvents, completionJson, composeMessage } from "./completion.ts";
import { chatError } from "./error.ts";
import { viewPrompt } from "./prompt-view.ts";
import { validateChat } from "./validate.ts";

export async function answerChat(call: Call): Promise<void> {
  const { context, body } = call;
  const headers = { "x-request-id": context.memory.nextId("req_") };
  const verdict = validateChat(body, context);
  if ("rule" in verdict) {
    reject(call, verdict, headers);
    return;
  }
  const { request } = verdict;
  await playTurn(call, viewPrompt(request), {
    headers,
    compose: (turn) => {
      const metered = context.meter.measureAutomatic(request.model, renderPrompt(request));
      call.captured.metered = metered;
      const message = composeMessage(request, turn, context.memory);
      const completion: Completion = {
        id: context.memory.nextId("chatcmpl-"),
        model: request.model,
        created: Math.floor(context.settings.clock.now() / 1000),
        message,
        finishReason: turn.stopReason ?? (message.tool_calls === undefined ? "stop" : "tool_calls"),
        usage: usageOf(request, metered, message),
      };
      const withUsage = asObject(body.stream_options).include_usage === true;
      return { json: completionJson(completion), events: completionEvents(completion, withUsage) };
    },
    errorBody: (status) => chatError(request.backend, { status, message: "Simulated error" }),
    errorEvent: (data) => ({ data }),
  });
}

/** Tools stand in front of the messages; each message is one line. */
function renderPrompt({ body, rows }: ChatRequest): string {
  return [JSON.stringify(body.tools ?? []), ...rows.map((row) => JSON.stringify(row.message))].join("\n");
}

function usageOf({ backend }: ChatRequest, { read, written, uncached }: MeterTurn, message: JsonObject): JsonObject {
  const prompt = read + written + uncached;
  const completion = promptTokens(JSON.stringify(message));
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  if (backend === "deepseek") {
    return { ...usage, prompt_cache_hit_tokens: read, prompt_cache_miss_tokens: prompt - read };
  }
  return { ...usage, prompt_tokens_details: { cached_tokens: read } };
}
