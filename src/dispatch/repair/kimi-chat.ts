import type { WireRequest } from "../../wire/request.ts";
import type { KimiFault } from "../detect/kimi-chat.ts";
import type { EditDraft } from "../rule.ts";
import { emptyReasoning } from "./reasoning-chat.ts";
import { emptyRowText } from "./wording.ts";

export function repairKimiFaults(request: WireRequest, faults: readonly KimiFault[]): EditDraft[] {
  const reasoning = faults.filter(({ what }) => what === "reasoning");
  return [...emptyReasoning(request, reasoning), ...faults.flatMap((fault) => fillEmpty(fault, faults))];
}

/** Empty parts go; where nothing else is in the row, fixed words stand for it. */
function fillEmpty({ row, path, what }: KimiFault, faults: readonly KimiFault[]): EditDraft[] {
  if (what === "empty-row") {
    return [{ op: row.form === "absent" ? "insert" : "replace", path: row.contentPath, value: emptyRowText }];
  }
  if (what !== "empty-part") return [];
  const empty = faults.filter((fault) => fault.row === row && fault.what === "empty-part");
  if (empty.length < (row.value.content as readonly unknown[]).length) return [{ op: "drop", path }];
  return path === empty[0]!.path ? [{ op: "replace", path: row.contentPath, value: emptyRowText }] : [];
}

export function chooseAutoTool(): EditDraft[] {
  return [{ op: "replace", path: "/tool_choice", value: "auto" }];
}
