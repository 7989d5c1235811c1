import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, jsonSchema, type LanguageModel, type ModelMessage, streamText, tool } from "ai";
import { stepCountIs, streamText as streamText6 } from "ai-6";
import type { Client } from "../stage/client-suite.ts";
import type { Servers } from "../stage/stage.ts";
import { bashTool, STEPS_MAX } from "./bash-tool.ts";

const apiKey = "key-of-the-user";

/** By the API that they speak. */
export function aiSdkModels(stage: Servers) {
  const anthropic = createAnthropic({ baseURL: `${stage.anthropicUrl}/v1`, apiKey });
  const openai = createOpenAI({ baseURL: stage.openaiUrl, apiKey });
  return {
    "anthropic-messages": anthropic("claude-opus-5-5"),
    "openai-completions": openai.chat("gpt-4.1"),
    "openai-responses": openai.responses("gpt-5.5"),
  };
}

/** A conversation that may go on with another model. */
export interface AiSdkClient extends Client {
  use(model: LanguageModel): void;
}

/** What the two versions have other names for. */
interface AiSdk {
  readonly streamText: typeof streamText;
  readonly stopWhen: ReturnType<typeof isStepCount>;
  readonly answered: (answer: Answer) => PromiseLike<readonly ModelMessage[]>;
}

type Answer = Pick<ReturnType<typeof streamText>, "responseMessages" | "response">;

export const aiSdk7: AiSdk = {
  streamText,
  stopWhen: isStepCount(STEPS_MAX),
  answered: (answer) => answer.responseMessages,
};

/** Of what is used here, the types are those of version 7. */
export const aiSdk6 = {
  streamText: streamText6,
  stopWhen: stepCountIs(STEPS_MAX),
  answered: async (answer: Answer) => (await answer.response).messages,
} as unknown as AiSdk;

export function openAiSdk(firstModel: LanguageModel, sdk = aiSdk7): AiSdkClient {
  let model = firstModel;
  let history: ModelMessage[] = [];
  const stream = (messages: ModelMessage[], abortSignal?: AbortSignal) =>
    sdk.streamText({
      model,
      system: "You are terse.",
      messages,
      tools: {
        [bashTool.name]: tool({
          description: bashTool.description,
          inputSchema: jsonSchema(bashTool.schema),
          execute: async () => bashTool.result,
        }),
      },
      stopWhen: sdk.stopWhen,
      maxRetries: 0,
      providerOptions: {
        anthropic: { cacheControl: { type: "ephemeral" } },
        // What OpenAI stores is sent back as a reference, which no gateway can read.
        openai: { store: false },
      },
      ...(abortSignal && { abortSignal }),
      onError: () => {},
    });
  return {
    use(next) {
      model = next;
    },
    async say(text: string) {
      const asked: ModelMessage[] = [...history, { role: "user", content: text }];
      const answer = stream(asked);
      await answer.consumeStream();
      history = [...asked, ...(await sdk.answered(answer))];
      return answer.text;
    },
    async sayAndLeave(text: string) {
      const left = new AbortController();
      for await (const _ of stream([...history, { role: "user", content: text }], left.signal).textStream) left.abort();
    },
    /**
     * As a cut of the oldest rows leaves it: the result is there and its call is not. A call without its result would
     * not leave the SDK.
     */
    async breakHistory() {
      history = history.filter(({ role, content }) => role !== "assistant" || !isCall(content));
    },
  };
}

function isCall(content: ModelMessage["content"]): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool-call");
}
