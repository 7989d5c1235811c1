/** Reasoning text in the history: some servers insist on it, others refuse it. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";

export interface ReasoningFault extends Fault {
  readonly row: Row;
}

/** DeepSeek in thinking mode: every assistant row with calls brings its reasoning back, if only an empty string. */
export function missingDeepseekReasoning(request: WireRequest): ReasoningFault[] {
  if (!thinks(request, /reasoner|v4/)) return [];
  const refusesDot = /v4/.test(request.model ?? "");
  return rowsWithCalls(request).flatMap((row) => {
    const reasoning = row.value.reasoning_content;
    if (typeof reasoning === "string" && !(refusesDot && reasoning === ".")) return [];
    return [missing(row, reasoning === "." ? "is a lone full stop" : "is missing")];
  });
}

export function missingKimiReasoning(request: WireRequest): ReasoningFault[] {
  if (!kimiThinks(request)) return [];
  return rowsWithCalls(request).flatMap((row) =>
    typeof row.value.reasoning_content === "string" ? [] : [missing(row, "is missing")],
  );
}

export function kimiThinks(request: WireRequest): boolean {
  return thinks(request, /thinking|k2[.-][5-9]|k[3-9]/);
}

/** What the request asks for, else what the model does by itself. */
function thinks(request: WireRequest, byItself: RegExp): boolean {
  const asked = isObject(request.body.thinking) ? request.body.thinking.type : undefined;
  return asked === "enabled" || (asked !== "disabled" && byItself.test(request.model ?? ""));
}

function rowsWithCalls(request: WireRequest): Row[] {
  return request.rows.filter((row) => row.role === "assistant" && row.blocks.some((block) => block.kind === "call"));
}

function missing(row: Row, how: string): ReasoningFault {
  return { path: `${row.path}/reasoning_content`, message: `reasoning_content of a message with calls ${how}`, row };
}

/** Rows with a member that a strict server does not know. */
export function rowsWithMember(request: WireRequest, member: string): Fault[] {
  return request.rows.flatMap((row) =>
    Object.hasOwn(row.value, member)
      ? [{ path: `${row.path}/${member}`, message: `this server takes no ${member} in the history` }]
      : [],
  );
}
