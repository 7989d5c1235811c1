import type { CapturedRequest } from "./captured-request.ts";
import type { JsonObject } from "./json-value.ts";
import type { ProviderContext } from "./provider-context.ts";
import type { Reply } from "./reply.ts";
import type { ScriptedTurn } from "./script.ts";

/** One request that an endpoint answers. */
export interface Call {
  readonly captured: CapturedRequest;
  readonly body: JsonObject;
  readonly reply: Reply;
  readonly context: ProviderContext;
  /** The scripted turns that are left; the endpoint takes the first. */
  readonly script: ScriptedTurn[];
}

export function accept(call: Call, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  call.captured.status = 200;
  call.reply.json(200, body, headers);
}

/** Sends an error of the provider and notes the rule behind it. */
export function reject(
  call: Call,
  error: { readonly status: number; readonly rule: string | null; readonly body: unknown },
  headers: Readonly<Record<string, string>> = {},
): void {
  call.captured.status = error.status;
  call.captured.rejectedBy = error.rule;
  call.reply.json(error.status, error.body, headers);
}
