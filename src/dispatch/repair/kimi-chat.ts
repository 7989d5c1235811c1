import type { Row, WireRequest } from "../../wire/request.ts";
import type { KimiFault } from "../detect/kimi-chat.ts";
import type { EditDraft } from "../rule.ts";
import { emptyReasoning } from "./reasoning-chat.ts";
import { emptyRowText } from "./wording.ts";

export function repairKimiFaults(request: WireRequest, faults: readonly KimiFault[]): EditDraft[] {
  const byKind = Map.groupBy(faults, ({ what }) => what);
  const parts = Map.groupBy(byKind.get("empty-part") ?? [], ({ row }) => row);
  return [
    ...emptyReasoning(request, byKind.get("reasoning") ?? []),
    ...(byKind.get("empty-row") ?? []).map(({ row }) => fillContent(row)),
    ...[...parts].flatMap(([row, empty]) => dropParts(row, empty)),
  ];
}

/** Empty parts go; where nothing else is in the row, fixed words stand for it. */
function dropParts(row: Row, empty: readonly KimiFault[]): EditDraft[] {
  const all = row.value.content as readonly unknown[];
  return empty.length < all.length ? empty.map(({ path }) => ({ op: "drop", path })) : [fillContent(row)];
}

function fillContent(row: Row): EditDraft {
  return { op: row.form === "absent" ? "insert" : "replace", path: row.contentPath, value: emptyRowText };
}

export function chooseAutoTool(): EditDraft[] {
  return [{ op: "replace", path: "/tool_choice", value: "auto" }];
}
