/** Mistral's own API: which role may follow which, and ids of exactly nine characters. */
import { asText } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { ChatRequest, ChatRow } from "./chat-request.ts";

const idPattern = /^[a-zA-Z0-9]{9}$/;

export function* mistralFindings({ rows }: ChatRequest): Generator<Rejection> {
  for (const [at, row] of rows.entries()) {
    const ids = row.role === "tool" ? [asText(row.message.tool_call_id)] : row.calls.map((call) => call.id);
    for (const id of ids) if (!idPattern.test(id)) yield badId(id);
    yield* orderFindings(rows[at - 1], row);
  }
  yield* countFindings(rows);
  const last = rows.at(-1);
  if (last?.role !== "assistant" || last.message.prefix === true) return;
  yield {
    rule: "M-LAST-4",
    message: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    code: "3230",
  };
}

function* orderFindings(before: ChatRow | undefined, row: ChatRow): Generator<Rejection> {
  if (before?.role === "tool" && row.role === "user") yield badOrder("M-ORD-2", row, before);
  if (row.role === "tool" && before?.role !== "tool" && before?.role !== "assistant") {
    yield badOrder("M-ORD-3", row, before);
  }
}

/** A run of tool rows answers the assistant row in front of it, one for one. */
function* countFindings(rows: readonly ChatRow[]): Generator<Rejection> {
  for (const [at, row] of rows.entries()) {
    if (row.role !== "assistant" || at === rows.length - 1) continue;
    const end = rows.findIndex((one, index) => index > at && one.role !== "tool");
    const results = (end < 0 ? rows.length : end) - at - 1;
    if (results !== row.calls.length) {
      yield { rule: "M-COUNT-5", message: "Not the same number of function calls and responses", code: "3230" };
    }
  }
}

function badId(id: string): Rejection {
  return {
    rule: "M-ID-1",
    message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    code: "3280",
  };
}

function badOrder(rule: string, row: ChatRow, before: ChatRow | undefined): Rejection {
  return { rule, message: `Unexpected role '${row.role}' after role '${before?.role ?? "none"}'`, code: "3230" };
}
