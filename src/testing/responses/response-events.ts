/** A whole response cut into the events of the Responses stream. */
import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { SentEvent } from "../reply.ts";
import { pieces } from "../text-pieces.ts";

export function responseEvents(response: JsonObject): SentEvent[] {
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const events: JsonObject[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...asObjects(response.output).flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: `response.${response.status}`, response },
  ];
  return events.map((event, sequence_number) => ({ event: asText(event.type), data: { ...event, sequence_number } }));
}

function itemEvents(item: JsonObject, output_index: number): JsonObject[] {
  const { opened, events } = openItem(item);
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: opened },
    ...events.map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function openItem(item: JsonObject): { opened: JsonObject; events: JsonObject[] } {
  if (item.type === "message") {
    const opened = { ...item, status: "in_progress", content: [] };
    return { opened, events: asObjects(item.content).flatMap((part, at) => textEvents(part, at)) };
  }
  if (item.type === "reasoning") {
    const opened = { ...item, summary: [] };
    return { opened, events: asObjects(item.summary).flatMap((part, at) => summaryEvents(part, at)) };
  }
  const text = asText(item.arguments);
  const events: JsonObject[] = [
    ...pieces(text).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
    { type: "response.function_call_arguments.done", name: item.name, arguments: text },
  ];
  return { opened: { ...item, status: "in_progress", arguments: "" }, events };
}

function textEvents(part: JsonObject, content_index: number): JsonObject[] {
  const text = asText(part.text);
  const deltas = pieces(text).map((delta) => ({
    type: "response.output_text.delta",
    content_index,
    delta,
    logprobs: [],
  }));
  return [
    { type: "response.content_part.added", content_index, part: { ...part, text: "" } },
    ...deltas,
    { type: "response.output_text.done", content_index, text, logprobs: [] },
    { type: "response.content_part.done", content_index, part },
  ];
}

function summaryEvents(part: JsonObject, summary_index: number): JsonObject[] {
  const text = asText(part.text);
  const deltas = pieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", summary_index, delta }));
  return [
    { type: "response.reasoning_summary_part.added", summary_index, part: { ...asObject(part), text: "" } },
    ...deltas,
    { type: "response.reasoning_summary_text.done", summary_index, text },
    { type: "response.reasoning_summary_part.done", summary_index, part },
  ];
}
