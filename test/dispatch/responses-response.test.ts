/** What a Responses answer says of itself, as JSON and as a stream. */
import { expect, test } from "vitest";
import { detectApi } from "../../src/wire/formats.ts";
import { openaiResponses } from "../../src/wire/openai-responses/format.ts";
import * as chat from "./chat-body.ts";
import { call, output, reasoning, request, said, user } from "./responses-body.ts";

function read(body: object, status = 200) {
  const bytes = Buffer.from(JSON.stringify(body));
  return openaiResponses.readResponse({ status, mediaType: "application/json", bytes });
}

function readEvents(events: readonly object[]) {
  const text = events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  return openaiResponses.readResponse({ status: 200, mediaType: "text/event-stream", bytes: Buffer.from(text) });
}

const items = [reasoning("rs_1"), call("a", { id: "fc_1" })];
const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 64 }, output_tokens: 7 };
const response = { id: "resp_1", model: "gpt-5.5", status: "completed", error: null, output: items, usage };

test("DG-60 a Responses answer gives the items that the client sends back, in a stream too", () => {
  const whole = read(response);
  expect(whole).toMatchObject({ id: "resp_1", model: "gpt-5.5", rows: items, stopReason: "completed", error: null });
  expect(whole.usage).toMatchObject({ inputTokens: 36, cacheReadTokens: 64, outputTokens: 7 });
  const created = {
    type: "response.created",
    response: { ...response, status: "in_progress", output: [], usage: null },
  };
  const done = items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item }));
  const streamed = [created, ...done.toReversed(), { type: "response.completed", response }];
  expect(readEvents(streamed)).toEqual(whole);
  // The back end of Codex leaves the items out of its last event.
  expect(
    readEvents([...streamed.slice(0, -1), { type: "response.completed", response: { ...response, output: [] } }]),
  ).toEqual(whole);
});

test("DG-60 a Responses stream that was cut or failed gives no items", () => {
  const done = { type: "response.output_item.done", output_index: 0, item: items[0] };
  expect(readEvents([done])).toMatchObject({ rows: [], error: null });
  const failure = { id: "resp_1", status: "failed", error: { code: "server_error", message: "sorry" } };
  expect(readEvents([done, { type: "response.failed", response: failure }])).toMatchObject({
    id: "resp_1",
    rows: [],
    error: { code: "server_error", message: "sorry" },
  });
  expect(readEvents([done, { type: "error", code: "rate_limited", message: "slow down" }])).toMatchObject({
    rows: [],
    error: { code: "rate_limited", message: "slow down" },
  });
});

test("DG-70 the errors of OpenAI and of the Codex back end are read alike", () => {
  const error = { message: "Duplicate item found with id msg_1.", type: "invalid_request_error", code: null };
  expect(read({ error }, 400).error).toEqual({ status: 400, code: "invalid_request_error", message: error.message });
  expect(read({ detail: "Store must be set to false" }, 400).error).toMatchObject({
    message: "Store must be set to false",
  });
});

test("R-DROP-15 an answer that left reasoning out of its prompt says so", () => {
  const dropped = [{ type: "reasoning_removed", reason: "prefix_mismatch" }];
  const why = { reason: "input_changed" };
  expect(read({ ...response, input_transformations: dropped, prompt_cache_diagnostics: why }).diagnosis).toEqual({
    input_transformations: dropped,
    prompt_cache_diagnostics: why,
  });
  expect(read(response).diagnosis).toBeNull();
});

test("DG-4 a body without a hint is taken for what its own members say", () => {
  expect(detectApi({ ...request([user("go"), call("a"), output("a"), said("x")]) })).toBe("openai-responses");
  expect(detectApi({ previous_response_id: "resp_1" })).toBe("openai-responses");
  expect(detectApi({ ...chat.request([chat.user("go"), chat.calling(["a"]), chat.answer("a")]) })).toBe(
    "openai-completions",
  );
  expect(detectApi({ messages: [{ role: "user", content: [{ text: "go" }] }], inferenceConfig: {} })).toBe(
    "bedrock-converse-stream",
  );
});
