/** Reasoning text in the history: some servers insist on it, others refuse it. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import { pairingOf } from "../pairing.ts";
import type { Fault } from "../rule.ts";
import type { PlacedBlock } from "../turns.ts";
import { perRow } from "./per-row.ts";

export interface ReasoningFault extends Fault {
  readonly row: Row;
}

/** DeepSeek in thinking mode: every assistant row with calls brings its reasoning back, if only an empty string. */
export function missingDeepseekReasoning(request: WireRequest): ReasoningFault[] {
  if (!deepseekThinks(request)) return [];
  const refusesDot = /v4/.test(request.model ?? "");
  return callsWithoutReasoning(request).flatMap((row) => {
    const isDot = row.value.reasoning_content === ".";
    return isDot && !refusesDot ? [] : [missing(row, isDot ? "is a lone full stop" : "is missing")];
  });
}

export interface TurnFault extends Fault {
  readonly call: PlacedBlock;
}

/** The same on DeepSeek's door for the Anthropic format: a turn with calls begins with a thinking block. */
export function deepseekTurnsWithoutThinking(request: WireRequest): TurnFault[] {
  if (!deepseekThinks(request)) return [];
  return pairingOf(request).turns.flatMap(({ role, calls, blocks, opaque }): TurnFault[] => {
    const [call] = calls;
    if (role !== "assistant" || opaque || call === undefined) return [];
    if (blocks.some(({ block }) => block.kind === "thinking")) return [];
    return [{ path: call.block.path, message: "a message with calls has no thinking block", call }];
  });
}

export function missingKimiReasoning(request: WireRequest): ReasoningFault[] {
  if (!kimiThinks(request)) return [];
  return callsWithoutReasoning(request).flatMap((row) =>
    typeof row.value.reasoning_content === "string" ? [] : [missing(row, "is missing")],
  );
}

export function kimiThinks(request: WireRequest): boolean {
  return thinks(request, /thinking|k2[.-][5-9]|k[3-9]/);
}

function deepseekThinks(request: WireRequest): boolean {
  return thinks(request, /reasoner|v4/);
}

/** What the request asks for, else what the model does by itself. */
function thinks(request: WireRequest, byItself: RegExp): boolean {
  const asked = isObject(request.body.thinking) ? request.body.thinking.type : undefined;
  return asked === "enabled" || (asked !== "disabled" && byItself.test(request.model ?? ""));
}

/** Rows with calls whose reasoning is no text, or a mere full stop. */
const callsWithoutReasoning = perRow((row) => {
  const { reasoning_content: reasoning } = row.value;
  const calls = row.role === "assistant" && row.blocks.some((block) => block.kind === "call");
  return calls && (typeof reasoning !== "string" || reasoning === ".") ? [row] : [];
});

function missing(row: Row, how: string): ReasoningFault {
  return { path: `${row.path}/reasoning_content`, message: `reasoning_content of a message with calls ${how}`, row };
}

/** Rows with a member that a strict server does not know. */
export function rowsWithMember(member: string): (request: WireRequest) => readonly Fault[] {
  return perRow((row) =>
    Object.hasOwn(row.value, member)
      ? [{ path: `${row.path}/${member}`, message: `this server takes no ${member} in the history` }]
      : [],
  );
}
