/** Repairs of broken pairs in Chat Completions: move the tool message, make one, or keep its words as the user's. */
import type { WireRequest } from "../../wire/request.ts";
import type { ChatCallFault, ChatResultFault } from "../detect/pairing-chat.ts";
import type { UnansweredCall } from "../made-results.ts";
import { type ChatResult, chatPairingOf } from "../pairing-chat.ts";
import type { EditDraft } from "../rule.ts";
import { asTextParts } from "./result-text.ts";
import { furtherResultText, lateResultText, noResultText, orphanText } from "./wording.ts";

/** An open call gets its own tool message from further down, else one that says that there is none. */
export function answerChatCalls(_request: WireRequest, faults: readonly ChatCallFault[]): EditDraft[] {
  return faults.map(({ call: { call, runEnd, strayed } }): EditDraft => {
    const path = `/messages/${runEnd}`;
    if (strayed !== null) return { op: "move", path, from: strayed.row.path };
    return { op: "insert", path, value: { role: "tool", tool_call_id: call.id, content: noResultText } };
  });
}

/** The words of an orphan go behind its run, so that they do not part other tool messages from their calls. */
export function orphanRowsToText(_request: WireRequest, faults: readonly ChatResultFault[]): EditDraft[] {
  return faults.flatMap(({ result }) => rowToText(result, result.isFurther ? furtherResultText : orphanText));
}

/** Calls without a tool message in the run behind them. */
export function unansweredChatCalls(request: WireRequest): UnansweredCall<ChatResult>[] {
  const { openCalls, orphans } = chatPairingOf(request);
  return openCalls.map(({ call, row, strayed }) => ({
    call,
    late: [
      ...(strayed === null ? [] : [strayed]),
      ...orphans.filter((one) => one.result.callId === call.id && one.row.index > row.index),
    ],
  }));
}

export function lateRowsToText(_request: WireRequest, late: readonly ChatResult[]): EditDraft[] {
  return late.flatMap((result) => rowToText(result, lateResultText));
}

function rowToText({ result, row, runEnd }: ChatResult, wording: (callId: string, words: string) => string) {
  const parts = asTextParts(row.value.content, row.contentPath, (words) => wording(result.callId, words));
  return [
    { op: "drop", path: row.path },
    { op: "insert", path: `/messages/${runEnd}`, value: { role: "user", content: parts } },
  ] satisfies EditDraft[];
}
