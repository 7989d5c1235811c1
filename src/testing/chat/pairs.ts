/** Tool messages stand directly behind the calls that they answer; order among them is free. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { ChatRequest, ChatRow } from "./chat-request.ts";

export function* pairFindings({ rows, backend }: ChatRequest): Generator<Rejection> {
  let caller: ChatRow | null = null;
  let open = new Set<string>();
  for (const row of rows) {
    if (row.role === "tool") {
      const id = asText(row.message.tool_call_id);
      if (caller === null) yield noCaller(row, backend);
      else if (!caller.calls.some((call) => call.id === id)) yield unknownId(row, id, backend);
      open.delete(id);
      continue;
    }
    if (caller !== null && open.size > 0) yield unanswered(caller, open, backend);
    caller = row.calls.length > 0 ? row : null;
    open = new Set(row.calls.map((call) => call.id));
  }
  if (caller !== null && open.size > 0) yield unanswered(caller, open, backend);
}

function noCaller(row: ChatRow, backend: string): Rejection {
  if (backend === "moonshot") return notFound(asText(row.message.tool_call_id));
  return {
    rule: "C-PAIR-2",
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: `messages.[${row.at}].role`,
  };
}

function unknownId(row: ChatRow, id: string, backend: string): Rejection {
  if (backend === "moonshot") return notFound(id);
  return {
    rule: "C-PAIR-2",
    message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    param: `messages.[${row.at}].tool_call_id`,
  };
}

function notFound(id: string): Rejection {
  return { rule: "K-KIMI-2", message: `Invalid request: tool_call_id ${id} is not found` };
}

function unanswered(caller: ChatRow, open: ReadonlySet<string>, backend: string): Rejection {
  const rule = "C-PAIR-1";
  const param = `messages.[${caller.at + 1}].role`;
  const text =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  if (backend === "deepseek")
    return { rule, param, message: `${text} (insufficient tool messages following tool_calls message)` };
  if (backend === "qwen") {
    return { rule: "K-QWEN-8", message: `<400> InternalError.Algo.InvalidParameter: ${text.replaceAll("'", '"')}` };
  }
  return {
    rule,
    param,
    message: `${text} The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
  };
}
