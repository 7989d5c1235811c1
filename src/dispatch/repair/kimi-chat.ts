import type { Row, WireRequest } from "../../wire/request.ts";
import type { KimiFault, KimiIdFault } from "../detect/kimi-chat.ts";
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

/** Back to what the model wrote, on the call and in the run that answers it: an equal id of another turn is another one. */
export function restoreKimiIds({ rows }: WireRequest, faults: readonly KimiIdFault[]): EditDraft[] {
  const written = new Map<Row, Set<string>>();
  return faults.flatMap(({ path, row, call, native }): EditDraft[] => {
    const taken = written.get(row) ?? new Set(row.blocks.flatMap((one) => (one.kind === "call" ? [one.id] : [])));
    written.set(row, taken);
    if (taken.has(native)) return [];
    taken.add(native);
    const answers = runBehind(rows, row).filter(({ value }) => value.tool_call_id === call.id);
    const places = [path, ...answers.map((answer) => `${answer.path}/tool_call_id`)];
    return places.map((place): EditDraft => ({ op: "replace", path: place, value: native }));
  });
}

function runBehind(rows: readonly Row[], { index }: Row): readonly Row[] {
  const end = rows.findIndex((row) => row.index > index && row.role !== "tool");
  return rows.slice(index + 1, end === -1 ? rows.length : end);
}

export function chooseAutoTool(): EditDraft[] {
  return [{ op: "replace", path: "/tool_choice", value: "auto" }];
}
