/** What the simulated provider answers next, as data. Every member may be combined with the others. */

export interface ScriptedTurn {
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** The parts of the answer in order, where thinking, text, calls is not the order that is wanted. */
  readonly parts?: readonly AnswerPart[];
  /** In the words of the API that is asked (`max_tokens`, `length`, `incomplete`); follows from the parts unless given. */
  readonly stopReason?: string;
  /** An error instead of an answer; with `afterEvents`, inside a stream that has begun. */
  readonly error?: { readonly status: number; readonly body?: unknown; readonly afterEvents?: number };
  /** Accepts the request and never answers. */
  readonly hang?: boolean;
  /** Closes the connection in the middle of the stream, behind this many events; a JSON answer ends half way. */
  readonly cutAfterEvents?: number;
  /** Resets the connection instead of answering. */
  readonly resetConnection?: boolean;
  /** Answers 200 with bytes that are neither JSON nor events. */
  readonly garbage?: boolean;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two events of a stream. */
  readonly eventDelayMs?: number;
}

export interface ScriptedToolCall {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** A fresh one unless given. */
  readonly id?: string;
}

export type AnswerPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | ({ readonly kind: "tool-call" } & ScriptedToolCall);

/** The parts of an answer in the order of the wire. An empty turn answers with an empty text. */
export function partsOf(turn: ScriptedTurn): readonly AnswerPart[] {
  if (turn.parts !== undefined) return turn.parts;
  const parts: AnswerPart[] = [];
  if (turn.thinking !== undefined) parts.push({ kind: "thinking", text: turn.thinking });
  if (turn.text !== undefined) parts.push({ kind: "text", text: turn.text });
  for (const call of turn.toolCalls ?? []) parts.push({ kind: "tool-call", ...call });
  return parts.length > 0 ? parts : [{ kind: "text", text: "" }];
}
