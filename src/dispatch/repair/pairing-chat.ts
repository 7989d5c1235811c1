/** Repairs of broken pairs in Chat Completions: move the tool message, make one, or keep its words as the user's. */
import type { WireRequest } from "../../wire/request.ts";
import type { ChatCallFault, ChatResultFault } from "../detect/pairing-chat.ts";
import type { EditDraft } from "../rule.ts";
import { asTextParts } from "./result-text.ts";
import { furtherResultText, noResultText, orphanText } from "./wording.ts";

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
  return faults.flatMap(({ result: { result, row, runEnd, isFurther } }): EditDraft[] => {
    const wording = isFurther ? furtherResultText : orphanText;
    const parts = asTextParts(row.value.content, row.contentPath, (words) => wording(result.callId, words));
    return [
      { op: "drop", path: row.path },
      { op: "insert", path: `/messages/${runEnd}`, value: { role: "user", content: parts } },
    ];
  });
}
