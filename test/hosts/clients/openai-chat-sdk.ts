import OpenAI from "openai";
import type { OpenClient } from "../stage/client-suite.ts";
import { bashTool, endlessSteps, STEPS_MAX } from "./bash-tool.ts";

export const openOpenaiChatSdk: OpenClient = async (stage, send = fetch) => {
  const sdk = new OpenAI({ baseURL: stage.openaiUrl, apiKey: "key-of-the-user", maxRetries: 0, fetch: send });
  const history: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "You are terse." }];
  const stream = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    sdk.chat.completions.stream({
      model: "gpt-4.1",
      messages,
      tools: [
        {
          type: "function",
          function: { name: bashTool.name, description: bashTool.description, parameters: bashTool.schema },
        },
      ],
      stream_options: { include_usage: true },
    });
  return {
    async say(text) {
      history.push({ role: "user", content: text });
      for (let step = 0; step < STEPS_MAX; step++) {
        const { choices } = await stream(history).finalChatCompletion();
        const { content, tool_calls: calls } = choices[0]!.message;
        history.push({ role: "assistant", content, ...(calls?.length ? { tool_calls: calls } : {}) });
        if (!calls?.length) return content ?? "";
        history.push(...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: bashTool.result })));
      }
      throw endlessSteps();
    },
    async sayAndLeave(text) {
      const answer = stream([...history, { role: "user", content: text }]);
      answer.on("chunk", () => answer.abort());
      await answer.done().catch(() => {});
    },
    /** As a crash between call and result leaves it: the result was never written down. */
    async breakHistory() {
      history.splice(history.findLastIndex(({ role }) => role === "tool"));
    },
  };
};
