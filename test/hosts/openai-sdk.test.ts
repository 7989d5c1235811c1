import { openOpenaiChatSdk } from "./clients/openai-chat-sdk.ts";
import { openOpenaiResponsesSdk } from "./clients/openai-responses-sdk.ts";
import { describeClient } from "./stage/client-suite.ts";

describeClient("openai, Chat Completions", openOpenaiChatSdk);
describeClient("openai, Responses", openOpenaiResponsesSdk);
