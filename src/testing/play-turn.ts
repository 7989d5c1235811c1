import { accept, type Call, reject } from "./call.ts";
import { chooseTurn } from "./choose-turn.ts";
import type { PromptView } from "./prompt-view.ts";
import type { SentEvent } from "./reply.ts";
import type { ScriptedTurn } from "./script.ts";

/** How one API writes an answer. */
export interface AnswerWriter {
  /** Composes the whole answer; called once, and only when there will be one. */
  readonly compose: (turn: ScriptedTurn) => { readonly json: unknown; readonly events: readonly SentEvent[] };
  readonly errorBody: (status: number) => unknown;
  readonly errorEvent: (body: unknown) => SentEvent;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the path says it; the body's `stream` otherwise. */
  readonly streamed?: boolean;
}

/** Plays the next turn of a request that was not rejected. Returns whether a whole answer went out. */
export async function playTurn(call: Call, prompt: PromptView, writer: AnswerWriter): Promise<boolean> {
  const turn = chooseTurn(call.script, prompt);
  await call.reply.wait(turn.delayMs ?? 0);
  if (turn.hang === true) await call.reply.hang();
  if (call.reply.gone) return false;
  const streamed = writer.streamed ?? call.body.stream === true;
  if (failInstead(call, turn, writer, streamed)) return false;
  const answer = writer.compose(turn);
  if (streamed) return streamAnswer(call, turn, writer, answer.events);
  if (turn.cutAfterEvents === undefined) {
    accept(call, answer.json, writer.headers);
    return true;
  }
  call.captured.status = 200;
  call.reply.cutJson(answer.json, writer.headers);
  return false;
}

function failInstead(call: Call, turn: ScriptedTurn, writer: AnswerWriter, streamed: boolean): boolean {
  const { error } = turn;
  if (turn.resetConnection === true) call.reply.reset();
  else if (error !== undefined && (error.afterEvents === undefined || !streamed)) {
    const body = error.body ?? writer.errorBody(error.status);
    reject(call, { status: error.status, rule: null, body }, writer.headers);
  } else if (turn.garbage === true) {
    call.captured.status = 200;
    call.reply.garbage(streamed);
  } else return false;
  return true;
}

async function streamAnswer(
  call: Call,
  turn: ScriptedTurn,
  writer: AnswerWriter,
  events: readonly SentEvent[],
): Promise<boolean> {
  const { error } = turn;
  const failure = error === undefined ? [] : [writer.errorEvent(error.body ?? writer.errorBody(error.status))];
  call.captured.status = 200;
  await call.reply.events([...events.slice(0, error?.afterEvents), ...failure], turn, writer.headers);
  return error === undefined && turn.cutAfterEvents === undefined && !call.reply.gone;
}
