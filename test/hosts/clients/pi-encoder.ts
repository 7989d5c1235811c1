/** Pi's own encoders in this process: what `context` returned goes in, the payload comes out, and nothing is sent. */

import type { AgentMessage } from "../../../src/hosts/agent-api.ts";
import { bashTool } from "./bash-tool.ts";

/** The payload of the last three is what an SDK makes the body of. */
export const PI_APIS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "bedrock-converse-stream",
  "mistral-conversations",
] as const;
export type PiApi = (typeof PI_APIS)[number];

/** The model of each API, on a server of the vendor's own kind. */
export const PI_MODELS = {
  "google-generative-ai": { provider: "google", id: "gemini-2.5-pro" },
  "bedrock-converse-stream": { provider: "bedrock", id: "anthropic.claude-sonnet-4-5-v1:0" },
  "mistral-conversations": { provider: "mistral", id: "mistral-large-latest" },
  "anthropic-messages": { provider: "anthropic", id: "claude-opus-5-5" },
  "openai-completions": { provider: "local", id: "gpt-4.1" },
  "openai-responses": { provider: "openai", id: "gpt-5.5" },
} as const;

interface Encoder {
  stream(model: object, context: object, options: object): AsyncIterable<{ type: string; message?: AgentMessage }>;
}

/** Stands in front of every encoder: it writes Pi's own kinds of messages as the user's. Not exported by itself. */
const agentMessages = import.meta.resolve("@earendil-works/pi-coding-agent").replace("index.js", "core/messages.js");

interface AgentMessages {
  convertToLlm(messages: readonly AgentMessage[]): readonly AgentMessage[];
}

export async function loadPiEncoder(api: string): Promise<Encoder> {
  return await import(`@earendil-works/pi-ai/api/${api}`);
}

export async function convertAsPi(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
  const { convertToLlm }: AgentMessages = await import(agentMessages);
  return convertToLlm(messages);
}

export async function encodeAsPi(api: keyof typeof PI_MODELS, messages: readonly AgentMessage[]): Promise<object> {
  const { stream } = await loadPiEncoder(api);
  const model = {
    ...PI_MODELS[api],
    name: "model",
    api,
    baseUrl: "http://127.0.0.1:9/v1",
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 200_000,
    maxTokens: 4096,
  };
  const bash = { name: "bash", description: "Runs a command.", parameters: bashTool.schema };
  const system = { role: "system", content: "Be brief.", toolsAdded: [bash], timestamp: 0 };
  let payload: object | null = null;
  const options = {
    apiKey: "key",
    maxRetries: 0,
    onPayload: (made: object) => {
      payload = structuredClone(made);
      // SDKs of their own would send what is made, and try again.
      throw new Error("Nothing is sent.");
    },
  };
  for await (const _event of stream(model, { messages: [system, ...(await convertAsPi(messages))] }, options));
  if (payload === null) throw new Error("Pi's encoder has made no payload.");
  return payload;
}
