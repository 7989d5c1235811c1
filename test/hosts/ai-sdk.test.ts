import { openAiSdkAnthropic, openAiSdkChat, openAiSdkResponses } from "./clients/ai-sdk.ts";
import { describeClient } from "./stage/client-suite.ts";

describeClient("ai with @ai-sdk/anthropic", openAiSdkAnthropic);
describeClient("ai with @ai-sdk/openai, Chat Completions", openAiSdkChat);
describeClient("ai with @ai-sdk/openai, Responses", openAiSdkResponses);
