import type { WireRequest } from "../../wire/request.ts";
import type { ContentFault } from "../detect/content-chat.ts";
import type { EditDraft } from "../rule.ts";

/** An empty string means the same and is taken everywhere. */
export function emptyStrings(_request: WireRequest, faults: readonly ContentFault[]): EditDraft[] {
  return faults.map(({ row }) => ({
    op: row.form === "absent" ? "insert" : "replace",
    path: row.contentPath,
    value: "",
  }));
}
