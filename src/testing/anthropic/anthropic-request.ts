import type { JsonObject } from "../json-value.ts";
import { asText } from "../json-value.ts";
import type { ProviderContext } from "../provider-context.ts";
import { type ClaudeModel, readClaudeModel } from "./claude-model.ts";
import { type Conversation, readConversation } from "./conversation.ts";

/** Lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request whose thread, if it has one, is already resolved. */
export interface AnthropicRequest {
  /** With the history that the server holds in front of the new messages. */
  readonly body: JsonObject;
  readonly model: ClaudeModel;
  readonly conversation: Conversation;
  /** The server holds a history that this provider does not know: nothing can be said about what it contains. */
  readonly unknownHistory: boolean;
  readonly betas: ReadonlySet<string>;
  readonly context: ProviderContext;
}

export function readAnthropicRequest(
  body: JsonObject,
  headers: RequestHeaders,
  context: ProviderContext,
  held: { readonly rows: number; readonly unknown: boolean },
): AnthropicRequest {
  return {
    body,
    model: readClaudeModel(asText(body.model)),
    conversation: readConversation(body.messages, held.rows),
    unknownHistory: held.unknown,
    betas: new Set(
      String(headers["anthropic-beta"] ?? "")
        .split(",")
        .map((name) => name.trim()),
    ),
    context,
  };
}
