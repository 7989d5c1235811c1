/** Repairs of empty and broken text. */
import type { WireRequest } from "../../wire/request.ts";
import type { BrokenTextFault, EmptyTextFault, TrailingSpaceFault } from "../detect/text-anthropic.ts";
import { textPathOf } from "../detect/text-anthropic.ts";
import type { EditDraft } from "../rule.ts";
import { emptyRowText, separatorText } from "./wording.ts";

/** Blank blocks go; a separator between thinking blocks and a row of its own get a fixed word instead. */
export function fillEmptyTexts(_request: WireRequest, faults: readonly EmptyTextFault[]): EditDraft[] {
  return faults.map((fault): EditDraft => {
    if (fault.index === null) {
      const op = fault.row.form === "absent" ? "insert" : "replace";
      return { op, path: fault.row.contentPath, value: emptyRowText };
    }
    if (fault.betweenThinking) return { op: "replace", path: `${fault.path}/text`, value: separatorText };
    return { op: "drop", path: fault.path };
  });
}

export function makeWellFormed(_request: WireRequest, faults: readonly BrokenTextFault[]): EditDraft[] {
  return faults.flatMap(({ path, wellFormed }) =>
    wellFormed === null ? [] : [{ op: "replace" as const, path, value: wellFormed }],
  );
}

export function trimEnd(_request: WireRequest, faults: readonly TrailingSpaceFault[]): EditDraft[] {
  return faults.map(({ row, text }): EditDraft => {
    const trimmed = text.text.trimEnd();
    if (trimmed !== "") return { op: "replace", path: textPathOf(text), value: trimmed };
    return { op: "drop", path: row.blocks.length > 1 ? text.path : row.path };
  });
}
