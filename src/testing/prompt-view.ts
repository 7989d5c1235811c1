import type { JsonObject } from "./json-value.ts";

/** The few things of a prompt that decide a default answer, the same for every API. */
export interface PromptView {
  /** Text of the newest user turn; empty where the turn holds only tool results. */
  readonly userText: string;
  /** Text of the newest tool result, or null where the newest turn answers no call. */
  readonly resultText: string | null;
  readonly tools: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly name: string;
  readonly schema: JsonObject;
}
