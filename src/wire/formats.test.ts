import { expect, test } from "vitest";
import type { Api, Backend } from "./api.ts";
import { detectApi, detectBackend } from "./formats.ts";

test("CL-3 an api is known by its shape, and where shapes are the same by the model's name", () => {
  const words = [{ role: "user", content: "go" }];
  const check = (body: object, api: Api | null, backend: Backend | null = null): void => {
    expect(detectApi(body as never)).toBe(api);
    if (api !== null) expect(detectBackend(api, body as never)).toBe(backend);
  };
  check({ model: "claude-sonnet-4-5", messages: words }, "anthropic-messages");
  check({ model: "gpt-4.1", messages: words }, "openai-completions");
  check(
    { model: "claude-sonnet-4-5", messages: [...words, { role: "tool", tool_call_id: "a", content: "" }] },
    "openai-completions",
  );
  check({ model: "x", system: "s", messages: words }, "anthropic-messages");
  check({ model: "x", messages: [{ role: "user", content: [{ text: "go" }] }] }, "bedrock-converse-stream");
  check({ contents: [] }, "google-generative-ai");
  check({ model: "gpt-5.5", input: "go" }, "openai-responses");
  check({ model: "deepseek-reasoner", messages: words }, "openai-completions", "deepseek");
  check({ model: "kimi-k3", messages: words }, "openai-completions", "moonshot");
  check({ model: "gpt-oss:20b", messages: words }, "openai-completions", "ollama");
  check({ model: "openai/gpt-oss-120b", messages: words }, "openai-completions");
  check({ model: "mistral-large-latest", messages: words }, "mistral-conversations");
  check({ model: "mistral-small-3.2-24b", messages: words }, "openai-completions");
  check({ prompt: "go" }, null);
});
