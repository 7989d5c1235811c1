import OpenAI from "openai";
import type { OpenClient } from "../stage/client-suite.ts";
import { bashTool, endlessSteps, STEPS_MAX } from "./bash-tool.ts";

type Item = OpenAI.Responses.ResponseInputItem;

export const openOpenaiResponsesSdk: OpenClient = async (stage, send = fetch) => {
  const sdk = new OpenAI({ baseURL: stage.openaiUrl, apiKey: "key-of-the-user", maxRetries: 0, fetch: send });
  const history: Item[] = [];
  const stream = (input: Item[], signal?: AbortSignal) =>
    sdk.responses.stream(
      {
        model: "gpt-5.5",
        instructions: "You are terse.",
        input,
        store: false,
        include: ["reasoning.encrypted_content"],
        tools: [
          {
            type: "function",
            name: bashTool.name,
            description: bashTool.description,
            parameters: bashTool.schema,
            strict: true,
          },
        ],
      },
      { signal },
    );
  return {
    async say(text) {
      history.push({ role: "user", content: text });
      for (let step = 0; step < STEPS_MAX; step++) {
        const { output, output_text } = await stream(history).finalResponse();
        history.push(...output.map(withoutParsed));
        const calls = output.filter((item) => item.type === "function_call");
        if (calls.length === 0) return output_text;
        const type = "function_call_output" as const;
        history.push(...calls.map(({ call_id }) => ({ type, call_id, output: bashTool.result })));
      }
      throw endlessSteps();
    },
    async sayAndLeave(text) {
      const left = new AbortController();
      const answer = stream([...history, { role: "user", content: text }], left.signal);
      answer.on("event", () => left.abort());
      await answer.done().catch(() => {});
    },
    /** As a crash between call and result leaves it: the result was never written down. */
    async breakHistory() {
      history.splice(history.findLastIndex((item) => item.type === "function_call_output"));
    },
  };
};

/** The stream helper adds what it has parsed, which the API does not know. */
function withoutParsed(item: OpenAI.Responses.ResponseOutputItem): Item {
  const copy = structuredClone(item) as Item & { parsed_arguments?: unknown; content?: unknown };
  delete copy.parsed_arguments;
  if (Array.isArray(copy.content)) for (const part of copy.content) delete part.parsed;
  return copy;
}
