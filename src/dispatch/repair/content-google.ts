/** Repairs of single parts of a Gemini request, and of its end. */
import { isObject, type WireRequest } from "../../wire/request.ts";
import type { EmptyPartFault, SignatureFault } from "../detect/content-google.ts";
import type { ContentFault } from "../detect/pairing-google.ts";
import type { EditDraft } from "../rule.ts";
import { continueText, emptyRowText } from "./wording.ts";

/** Empty parts go; where nothing else is in the content, a fixed word stands for it. */
export function fillParts(_request: WireRequest, faults: readonly EmptyPartFault[]): EditDraft[] {
  return [...Map.groupBy(faults, ({ row }) => row)].flatMap(([row, empty]): EditDraft[] => {
    if (empty.length < row.blocks.length) return empty.map(({ path }) => ({ op: "drop", path }));
    const op = row.form === "absent" ? "insert" : "replace";
    return [{ op, path: row.contentPath, value: [{ text: emptyRowText }] }];
  });
}

/** What the public API takes in the place of a signature that another model or none has made. */
const NO_SIGNATURE = "skip_thought_signature_validator";

export function skipSignatures(_request: WireRequest, faults: readonly SignatureFault[]): EditDraft[] {
  return faults.map(({ call: { value, path } }) => {
    const name = isObject(value) && "thought_signature" in value ? "thought_signature" : "thoughtSignature";
    const op = isObject(value) && name in value ? "replace" : "insert";
    return { op, path: `${path}/${name}`, value: NO_SIGNATURE };
  });
}

export function endWithUserContent(request: WireRequest, faults: readonly ContentFault[]): EditDraft[] {
  return faults.map(() => ({
    op: "insert",
    path: `/contents/${request.rows.length}`,
    value: { role: "user", parts: [{ text: continueText }] },
  }));
}
