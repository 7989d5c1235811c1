import { openAnthropicSdk } from "./clients/anthropic-sdk.ts";
import { describeClient } from "./stage/client-suite.ts";

describeClient("@anthropic-ai/sdk", openAnthropicSdk);
