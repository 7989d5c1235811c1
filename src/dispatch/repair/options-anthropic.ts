import { isObject, stringOf, type WireRequest } from "../../wire/request.ts";
import { isEmptyTail, type RowFault } from "../detect/options-anthropic.ts";
import type { EditDraft } from "../rule.ts";
import { continueText, systemNoteText } from "./wording.ts";

/** The tool choice becomes `auto`; what else is set in it stays. */
export function chooseAuto(request: WireRequest): EditDraft[] {
  const choice = request.body.tool_choice;
  const named: EditDraft[] = isObject(choice) && "name" in choice ? [{ op: "drop", path: "/tool_choice/name" }] : [];
  return [{ op: "replace", path: "/tool_choice/type", value: "auto" }, ...named];
}

/** An empty last assistant row goes; behind one with words the user says to go on. */
export function endWithUser(request: WireRequest, faults: readonly RowFault[]): EditDraft[] {
  return faults.map(({ row }): EditDraft => {
    if (isEmptyTail(row)) return { op: "drop", path: row.path };
    return { op: "insert", path: `/messages/${request.rows.length}`, value: { role: "user", content: continueText } };
  });
}

/** System rows become user rows with a fixed tag around the words. Rows that carry more than words are left alone. */
export function demoteSystemRows(_request: WireRequest, faults: readonly RowFault[]): EditDraft[] {
  return faults.flatMap(({ row }): EditDraft[] => {
    const words = row.blocks.map((block) => (block.kind === "text" ? block.text : null));
    if (words.includes(null) || row.form === "other") return [];
    const text = words.filter((word) => stringOf(word).trim() !== "").join("\n");
    const bare = Object.keys(row.value).every((name) => name === "role" || name === "content");
    if (text === "") return bare ? [{ op: "drop", path: row.path }] : [];
    return [{ op: "replace", path: row.path, value: { role: "user", content: systemNoteText(text) } }];
  });
}
