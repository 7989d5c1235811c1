/** A whole message cut into the events of the Messages stream. */
import { asObject, asText, type JsonObject } from "../json-value.ts";
import type { SentEvent } from "../reply.ts";
import { pieces } from "../text-pieces.ts";

export function messageEvents(message: JsonObject): SentEvent[] {
  const usage = asObject(message.usage);
  const started = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const content = message.content as readonly JsonObject[];
  const end = { stop_reason: message.stop_reason, stop_sequence: null };
  return [
    event({ type: "message_start", message: started }),
    event({ type: "ping" }),
    ...content.flatMap((block, index) => blockEvents(block, index)),
    event({ type: "message_delta", delta: end, usage }),
    event({ type: "message_stop" }),
  ];
}

function blockEvents(block: JsonObject, index: number): SentEvent[] {
  const { start, deltas } = openBlock(block);
  return [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
    event({ type: "content_block_stop", index }),
  ];
}

function openBlock(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  if (block.type === "text") {
    const deltas = pieces(asText(block.text)).map((text) => ({ type: "text_delta", text }));
    return { start: { ...block, text: "" }, deltas };
  }
  if (block.type === "thinking") {
    const deltas: JsonObject[] = pieces(asText(block.thinking)).map((thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
    deltas.push({ type: "signature_delta", signature: block.signature });
    return { start: { ...block, thinking: "", signature: "" }, deltas };
  }
  if (block.type === "tool_use") {
    const json = ["", ...pieces(JSON.stringify(block.input))];
    const deltas = json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    return { start: { ...block, input: {} }, deltas };
  }
  return { start: block, deltas: [] };
}

function event(data: JsonObject): SentEvent {
  return { event: asText(data.type), data };
}
