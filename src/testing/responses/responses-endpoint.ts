/** POST /v1/responses, also for Azure and for the Codex back end. */
import { type Call, reject } from "../call.ts";
import { asObject, type JsonObject } from "../json-value.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import { playTurn } from "../play-turn.ts";
import { partsOf, type ScriptedTurn } from "../script.ts";
import { diagnose } from "./diagnosis.ts";
import { responsesError } from "./error.ts";
import { holdResponse } from "./history.ts";
import { composeOutput, rememberOutput } from "./issue.ts";
import { renderPrompt } from "./prompt.ts";
import { viewPrompt } from "./prompt-view.ts";
import { removeReasoning } from "./removed-reasoning.ts";
import { responseEvents } from "./response-events.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { validateResponses } from "./validate.ts";

/** The first models that bill cache writes and report them. */
const reportsWritesSince = 5.6;

export async function answerResponses(call: Call): Promise<void> {
  const { context, body } = call;
  const headers = { "x-request-id": context.memory.nextId("req_") };
  const verdict = validateResponses(body, context);
  if ("rule" in verdict) {
    reject(call, verdict, headers);
    return;
  }
  const { request, history } = verdict;
  await playTurn(call, viewPrompt(request), {
    headers,
    compose: (turn) => {
      const removed = removeReasoning(request);
      const metered = context.meter.measureAutomatic(request.model, renderPrompt(request, removed.items));
      call.captured.metered = metered;
      const id = context.memory.nextId("resp_");
      const output = composeOutput(request, partsOf(turn));
      rememberOutput(request, output);
      holdResponse(body, history, { id, output }, context);
      const diagnostics = diagnose(request, id, metered);
      const changed = removed.transformations.length > 0 ? { input_transformations: removed.transformations } : {};
      const response = {
        ...composeResponse(request, turn, { id, output, metered }),
        ...changed,
        ...(diagnostics === undefined ? {} : { prompt_cache_diagnostics: diagnostics }),
      };
      return { json: response, events: responseEvents(response) };
    },
    errorBody: (status) => responsesError(request.backend, { rule: "", status, message: "Simulated error" }),
    errorEvent: (data) => ({
      event: "error",
      data: { type: "error", sequence_number: 0, ...asObject(asObject(data).error) },
    }),
  });
}

function composeResponse(
  request: ResponsesRequest,
  turn: ScriptedTurn,
  answer: { readonly id: string; readonly output: readonly JsonObject[]; readonly metered: MeterTurn },
): JsonObject {
  const { body, model, context } = request;
  const now = Math.floor(context.settings.clock.now() / 1000);
  return {
    id: answer.id,
    object: "response",
    created_at: now,
    completed_at: now,
    status: turn.stopReason ?? "completed",
    error: null,
    incomplete_details: turn.stopReason === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: body.instructions ?? null,
    metadata: body.metadata ?? {},
    model,
    output: answer.output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: "disabled",
    usage: usageOf(request, answer.metered, answer.output),
  };
}

function usageOf(request: ResponsesRequest, metered: MeterTurn, output: readonly JsonObject[]): JsonObject {
  const input = metered.read + metered.written + metered.uncached;
  const reasoning = output.filter((item) => item.type === "reasoning");
  const outputTokens = promptTokens(JSON.stringify(output));
  const written = request.version >= reportsWritesSince ? metered.written : 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: metered.read, cache_write_tokens: written },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoning.length === 0 ? 0 : promptTokens(JSON.stringify(reasoning)) },
    total_tokens: input + outputTokens,
  };
}
