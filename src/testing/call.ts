import type { CapturedRequest } from "./captured-request.ts";
import { chooseTurn } from "./choose-turn.ts";
import { asObject, type JsonObject } from "./json-value.ts";
import type { PromptView } from "./prompt-view.ts";
import type { ProviderContext } from "./provider-context.ts";
import type { Reply, SentEvent } from "./reply.ts";
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

/** How one API writes an answer. */
export interface AnswerWriter {
  /** Composes the whole answer; called once, and only when there will be one. */
  readonly compose: (turn: ScriptedTurn) => { readonly json: unknown; readonly events: readonly SentEvent[] };
  readonly errorBody: (status: number) => unknown;
  readonly errorEvent: (body: unknown) => SentEvent;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an error of the provider and notes the rule behind it. */
export function reject(call: Call, status: number, rule: string | null, body: unknown, headers = {}): void {
  call.captured.status = status;
  call.captured.rejectedBy = rule;
  call.reply.json(status, body, headers);
}

/** Plays the next turn. Returns whether a whole answer went out. */
export async function playTurn(call: Call, prompt: PromptView, writer: AnswerWriter): Promise<boolean> {
  const { reply, captured, script } = call;
  const turn = chooseTurn(script, prompt);
  await reply.wait(call.context.settings.latencyMs + (turn.delayMs ?? 0));
  if (turn.hang === true) await reply.hang();
  if (reply.gone) return false;
  const streamed = asObject(call.body).stream === true;
  if (turn.resetConnection === true) {
    reply.reset();
    return false;
  }
  const { error } = turn;
  const errorBody = error === undefined ? undefined : (error.body ?? writer.errorBody(error.status));
  if (error !== undefined && (error.afterEvents === undefined || !streamed)) {
    reject(call, error.status, null, errorBody, writer.headers);
    return false;
  }
  captured.status = 200;
  if (turn.garbage === true) {
    reply.garbage(streamed);
    return false;
  }
  const answer = writer.compose(turn);
  if (!streamed) {
    reply.json(200, answer.json, writer.headers);
    return true;
  }
  const events =
    error === undefined ? answer.events : [...answer.events.slice(0, error.afterEvents), writer.errorEvent(errorBody)];
  await reply.events(events, turn, writer.headers);
  return error === undefined && turn.cutAfterEvents === undefined;
}
