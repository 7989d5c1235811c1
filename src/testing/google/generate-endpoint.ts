/** POST /v1beta/models/MODEL:generateContent and :streamGenerateContent, on the public API and on Vertex. */
import { type Call, reject } from "../call.ts";
import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { MeterTurn } from "../meter/prefix-cache-meter.ts";
import { promptTokens } from "../meter/prompt-tokens.ts";
import { playTurn } from "../play-turn.ts";
import type { PromptView } from "../prompt-view.ts";
import type { SentEvent } from "../reply.ts";
import { partsOf, type ScriptedTurn } from "../script.ts";
import { pieces } from "../text-pieces.ts";
import { functionsOf, type GoogleRequest, memberOf } from "./google-request.ts";
import { googleError, validateGoogle } from "./validate.ts";

export async function answerGenerate(call: Call): Promise<void> {
  const { context, captured, body } = call;
  const [, model = "", verb = ""] = /\/models\/([^/:]+):(\w+)/.exec(captured.path) ?? [];
  const verdict = validateGoogle(body, decodeURIComponent(model), context);
  if ("rule" in verdict) return reject(call, verdict);
  const { request } = verdict;
  await playTurn(call, viewPrompt(request), {
    headers: {},
    streamed: verb === "streamGenerateContent",
    compose: (turn) => {
      const metered = context.meter.measureAutomatic(request.model, renderPrompt(request));
      captured.metered = metered;
      const parts = partsOf(turn).map((part): JsonObject => {
        if (part.kind === "text") return { text: part.text };
        if (part.kind === "thinking") return { text: part.text, thought: true };
        const signature = context.memory.seal("thought", part.name);
        return { functionCall: { name: part.name, args: part.input ?? {} }, thoughtSignature: signature };
      });
      const base = { modelVersion: request.model, responseId: context.memory.nextId("g_") };
      const end = { finishReason: turn.stopReason ?? "STOP", usageMetadata: usageOf(metered, turn) };
      return { json: chunk(base, parts, end), events: eventsOf(base, parts, end) };
    },
    errorBody: (status) => googleError(status, "Simulated error"),
    errorEvent: (data) => ({ data }),
  });
}

interface End {
  readonly finishReason: string;
  readonly usageMetadata: JsonObject;
}

function chunk(base: JsonObject, parts: readonly JsonObject[], end?: End): JsonObject {
  const content = { role: "model", parts };
  if (end === undefined) return { candidates: [{ content, index: 0 }], ...base };
  const { finishReason, usageMetadata } = end;
  return { candidates: [{ content, index: 0, finishReason }], usageMetadata, ...base };
}

function eventsOf(base: JsonObject, parts: readonly JsonObject[], end: End): SentEvent[] {
  const all = parts.flatMap((part) =>
    "text" in part ? pieces(asText(part.text)).map((text) => ({ ...part, text })) : [part],
  );
  return all.map((part, index) => ({ data: chunk(base, [part], index === all.length - 1 ? end : undefined) }));
}

function usageOf({ read, written, uncached }: MeterTurn, turn: ScriptedTurn): JsonObject {
  const said = partsOf(turn).map((part) => ("text" in part ? part.text : JSON.stringify(part)));
  return {
    promptTokenCount: read + written + uncached,
    cachedContentTokenCount: read,
    candidatesTokenCount: promptTokens(said.join("")),
  };
}

function renderPrompt({ body, contents }: GoogleRequest): string {
  const { tools = [], systemInstruction = {} } = body;
  return [systemInstruction, tools, ...contents.map(({ role, parts }) => ({ role, parts }))]
    .map((part) => JSON.stringify(part))
    .join("\n");
}

function viewPrompt(request: GoogleRequest): PromptView {
  const last = request.contents.at(-1);
  const texts = (last?.parts ?? []).flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
  const [answer] = asObjects(last?.responses).map((part) =>
    asObject(memberOf(part, "functionResponse", "function_response")),
  );
  return {
    userText: texts.join("\n"),
    resultText: answer === undefined ? null : JSON.stringify(answer.response),
    tools: functionsOf(request).map(({ name, parameters, parametersJsonSchema }) => ({
      name: asText(name),
      schema: asObject(parameters ?? parametersJsonSchema),
    })),
  };
}
