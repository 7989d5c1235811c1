/** Path → endpoint. Only the end of the path counts, so that any base path in front of it works. */

import { anthropicError } from "./anthropic/error.ts";
import { answerMessages, countTokens } from "./anthropic/messages-endpoint.ts";
import { type Call, reject } from "./call.ts";
import { answerChat } from "./chat/chat-endpoint.ts";
import { chatError } from "./chat/error.ts";
import { answerConverse } from "./converse/converse-endpoint.ts";
import { answerGenerate } from "./google/generate-endpoint.ts";
import { isObject, type JsonObject } from "./json-value.ts";
import { listModels, showModel } from "./models-endpoint.ts";
import { answerResponses } from "./responses/responses-endpoint.ts";

export async function route(call: Call): Promise<void> {
  await call.reply.wait(call.context.settings.latencyMs);
  const path = call.captured.path.split("?")[0]!;
  if (call.captured.method === "GET") {
    const model = /\/models\/(.+)$/.exec(path)?.[1];
    if (path.endsWith("/models")) return listModels(call);
    if (model !== undefined) return showModel(call, decodeURIComponent(model));
  } else {
    const endpoint = endpoints.find(([end]) => path.endsWith(end));
    if (endpoint !== undefined) {
      if (!isObject(call.captured.json)) return reject(call, { status: 400, rule: "A-UTF-15", body: badJson(path) });
      return endpoint[1](call);
    }
  }
  reject(call, { status: 404, rule: null, body: anthropicError({ status: 404, message: `Not found: ${path}` }) });
}

const endpoints: readonly (readonly [string, (call: Call) => void | Promise<void>])[] = [
  ["/messages/count_tokens", countTokens],
  ["/messages", answerMessages],
  ["/chat/completions", answerChat],
  ["/responses", answerResponses],
  [":generateContent", answerGenerate],
  [":streamGenerateContent", answerGenerate],
  ["/converse", answerConverse],
  ["/converse-stream", answerConverse],
];

/** In the shape of the API that is asked. */
function badJson(path: string): JsonObject {
  const message = "The request body is not valid JSON: unexpected end of data: line 1 column 1 (char 0)";
  return path.includes("/messages") ? anthropicError({ message }) : chatError("openai", { message });
}
