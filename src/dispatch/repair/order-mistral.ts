/** Repairs of the order of roles for Mistral. */
import type { WireRequest } from "../../wire/request.ts";
import type { RowOrderFault } from "../detect/order-mistral.ts";
import { openChatCalls, orphanToolRows } from "../detect/pairing-chat.ts";
import type { EditDraft } from "../rule.ts";
import { answerChatCalls, orphanRowsToText } from "./pairing-chat.ts";
import { continueText, noAnswerText } from "./wording.ts";

/** A fixed word of the assistant stands between a result and what the user says. */
export function bridgeToUser(_request: WireRequest, faults: readonly RowOrderFault[]): EditDraft[] {
  return faults.map(({ row }) => ({
    op: "insert",
    path: row.path,
    value: { role: "assistant", content: noAnswerText },
  }));
}

/** Tool messages go behind the calls that they answer; those that answer none stay as words of the user. */
export function placeToolRows(request: WireRequest): EditDraft[] {
  const strayed = openChatCalls(request).filter(({ call }) => call.strayed !== null);
  return [...answerChatCalls(request, strayed), ...orphanRowsToText(request, orphanToolRows(request))];
}

/** An empty last row goes, open calls get their results, and behind words the user says to go on. */
export function endWithUserOrTool(request: WireRequest, faults: readonly RowOrderFault[]): EditDraft[] {
  return faults.flatMap(({ row }): EditDraft[] => {
    const open = openChatCalls(request).filter(({ call }) => call.row === row);
    if (open.length > 0) return answerChatCalls(request, open);
    const isEmpty = row.blocks.every((block) => block.kind === "text" && block.text.trim() === "");
    if (isEmpty) return [{ op: "drop", path: row.path }];
    return [{ op: "insert", path: `/messages/${request.rows.length}`, value: { role: "user", content: continueText } }];
  });
}
