import type { WireRequest } from "../../wire/request.ts";
import type { ReasoningFault } from "../detect/reasoning-chat.ts";
import type { EditDraft } from "../rule.ts";

/** The text itself is gone; the server takes an empty one. */
export function emptyReasoning(_request: WireRequest, faults: readonly ReasoningFault[]): EditDraft[] {
  return faults.map(({ path, row }) => ({
    op: Object.hasOwn(row.value, "reasoning_content") ? "replace" : "insert",
    path,
    value: "",
  }));
}
