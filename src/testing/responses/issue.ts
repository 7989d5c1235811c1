/** The output items of an answer, and what the provider remembers of them. */
import { asText, type JsonObject } from "../json-value.ts";
import type { AnswerPart } from "../script.ts";
import { prefixesOf } from "./prompt.ts";
import { type ResponsesRequest, readResponsesRequest } from "./responses-request.ts";

export function composeOutput(request: ResponsesRequest, parts: readonly AnswerPart[]): JsonObject[] {
  const { memory } = request.context;
  return parts.map((part) => {
    if (part.kind === "thinking") {
      const id = memory.nextId("rs_");
      const seal = memory.seal("reasoning", request.model, id, part.text);
      return { type: "reasoning", id, summary: [{ type: "summary_text", text: part.text }], encrypted_content: seal };
    }
    if (part.kind === "text") {
      const content = [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }];
      return { type: "message", id: memory.nextId("msg_"), status: "completed", role: "assistant", content };
    }
    const text = JSON.stringify(part.input ?? {});
    const call_id = part.id ?? memory.nextId("call_");
    return {
      type: "function_call",
      id: memory.nextId("fc_"),
      call_id,
      name: part.name,
      arguments: text,
      status: "completed",
    };
  });
}

/** @param issuer `self`, or the name of another back end whose answer this is */
export function rememberOutput(request: ResponsesRequest, output: readonly JsonObject[], issuer = "self"): void {
  const { memory } = request.context;
  const whole = [...request.items.map((one) => one.item), ...output];
  const behind = readResponsesRequest({ ...request.body, input: [] }, request.context, {
    items: whole,
    unknown: false,
  });
  const prefixes = prefixesOf(behind);
  let reasoning: string | null = null;
  for (const [at, item] of output.entries()) {
    const id = asText(item.id);
    if (item.type === "reasoning") {
      reasoning = id;
      const prefix = prefixes[request.items.length + at]!;
      memory.reasoning.set(asText(item.encrypted_content), { issuer, model: request.model, prefix });
    } else if (reasoning !== null && id !== "") {
      // Ids of another back end mean nothing here.
      if (issuer === "self") memory.needsReasoning.set(id, reasoning);
      // The pair is the reasoning and what directly follows it.
      reasoning = null;
    }
  }
}
