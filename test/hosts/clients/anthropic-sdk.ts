import Anthropic from "@anthropic-ai/sdk";
import type { OpenClient } from "../stage/client-suite.ts";
import { bashTool, endlessSteps, STEPS_MAX } from "./bash-tool.ts";

export const openAnthropicSdk: OpenClient = async (stage, send = fetch) => {
  const sdk = new Anthropic({ baseURL: stage.anthropicUrl, apiKey: "key-of-the-user", maxRetries: 0, fetch: send });
  const history: Anthropic.MessageParam[] = [];
  const stream = (messages: Anthropic.MessageParam[]) =>
    sdk.messages.stream({
      model: "claude-opus-5-5",
      max_tokens: 512,
      cache_control: { type: "ephemeral" },
      system: "You are terse.",
      tools: [{ name: bashTool.name, description: bashTool.description, input_schema: bashTool.schema }],
      messages,
    });
  return {
    async say(text) {
      history.push({ role: "user", content: text });
      for (let step = 0; step < STEPS_MAX; step++) {
        const { content } = await stream(history).finalMessage();
        history.push({ role: "assistant", content });
        const calls = content.filter((block) => block.type === "tool_use");
        if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
        history.push({
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: bashTool.result })),
        });
      }
      throw endlessSteps();
    },
    async sayAndLeave(text) {
      const answer = stream([...history, { role: "user", content: text }]);
      answer.on("streamEvent", () => answer.abort());
      await answer.done().catch(() => {});
    },
    /** As a crash between call and result leaves it: the result was never written down. */
    async breakHistory() {
      history.splice(history.findLastIndex(({ role, content }) => role === "user" && typeof content !== "string"));
    },
  };
};
