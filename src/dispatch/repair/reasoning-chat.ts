import type { WireRequest } from "../../wire/request.ts";
import type { ReasoningFault, TurnFault } from "../detect/reasoning-chat.ts";
import type { EditDraft } from "../rule.ts";

/** The text itself is gone; the server takes an empty one. */
export function emptyReasoning(_request: WireRequest, faults: readonly ReasoningFault[]): EditDraft[] {
  return faults.map(({ path, row }) => ({
    op: Object.hasOwn(row.value, "reasoning_content") ? "replace" : "insert",
    path,
    value: "",
  }));
}

/** An empty block, as the model itself writes one where it calls without a thought. */
export function emptyThinking(_request: WireRequest, faults: readonly TurnFault[]): EditDraft[] {
  return faults.map(({ call }) => ({
    op: "insert",
    path: `${call.row.contentPath}/0`,
    value: { type: "thinking", thinking: "", signature: "" },
  }));
}
