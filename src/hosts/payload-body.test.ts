import { expect, test } from "vitest";
import { openPayload } from "./payload-body.ts";

const read = (api: string, payload: object) => {
  const opened = openPayload(api, payload)!;
  const text = Buffer.from(opened.bytes).toString();
  const back = (change: (text: string) => string) => opened.toPayload(Buffer.from(change(text)));
  return { api: opened.api, body: JSON.parse(text), back };
};

const same = (text: string) => text;

test.each(["anthropic-messages", "openai-codex-responses"])("HO-13 %s: the payload is the body", (api) => {
  const payload = { model: "m", messages: [{ role: "user", content: "go" }] };
  const { body, back } = read(api, payload);
  expect(body).toEqual(payload);
  expect(back(same)).toEqual(payload);
});

test.each(["google-generative-ai", "google-vertex"])(
  "HO-13 %s: contents are repaired, and the configuration stays the very object",
  (api) => {
    const config = { tools: [], systemInstruction: "Be brief.", abortSignal: new AbortController().signal };
    const payload = { model: "gemini-2.5-pro", contents: [{ role: "user", parts: [{ text: "go" }] }], config };
    const { body, back } = read(api, payload);
    expect(body).toEqual({ contents: payload.contents, systemInstruction: "Be brief.", tools: [] });
    const repaired = back((text) => text.replace("go", "on")) as typeof payload;
    expect(repaired).toEqual({ ...payload, contents: [{ role: "user", parts: [{ text: "on" }] }] });
    expect(repaired.config).toBe(config);
  },
);

test("HO-13 google-gemini-cli: the body is one level down", () => {
  const payload = { project: "p", request: { contents: [{ role: "user", parts: [{ text: "go" }] }], sessionId: "s" } };
  const { api, body, back } = read("google-gemini-cli", payload);
  expect([api, body]).toEqual(["google-generative-ai", payload.request]);
  expect(back(same)).toEqual(payload);
  expect(openPayload("google-gemini-cli", { project: "p" })).toBeNull();
});

test("HO-13 bedrock-converse-stream: bytes are Base64 in the body, and the same bytes again behind a repair", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const redactedContent = Buffer.from("sealed");
  const content = [{ image: { format: "png", source: { bytes } } }, { reasoningContent: { redactedContent } }];
  const payload = { modelId: "m", messages: [{ role: "user", content: [...content, { text: "AQID" }] }] };
  const { body, back } = read("bedrock-converse-stream", payload);
  expect(body.messages[0].content[0].image.source.bytes).toBe("AQID");
  const repaired = back(same) as typeof payload;
  expect(repaired).toEqual(payload);
  expect(repaired.messages[0]!.content[0]).toMatchObject({ image: { source: { bytes } } });
});

test("HO-13 mistral-conversations: rows have the names of the wire in the body, and Pi's in the payload", () => {
  const messages = [
    { role: "assistant", toolCalls: [{ id: "abcdefghi" }] },
    { role: "tool", toolCallId: "abcdefghi" },
  ];
  const { body, back } = read("mistral-conversations", { model: "m", maxTokens: 9, messages });
  expect(body.messages).toEqual([
    { role: "assistant", tool_calls: [{ id: "abcdefghi" }] },
    { role: "tool", tool_call_id: "abcdefghi" },
  ]);
  expect(back(same)).toEqual({ model: "m", maxTokens: 9, messages });
});

test("HO-13 openrouter: OMP's name for both of OpenAI's APIs", () => {
  expect(read("openrouter", { input: [] }).api).toBe("openai-responses");
  expect(read("openrouter", { messages: [] }).api).toBe("openai-completions");
});

test.each(["pi-messages", "ollama-chat", "cursor-agent", "gitlab-duo-agent", "devin-agent"])(
  "HO-13 %s is not read",
  (api) => {
    expect(openPayload(api, { messages: [{ role: "user", content: "go" }], size: 1n })).toBeNull();
  },
);
