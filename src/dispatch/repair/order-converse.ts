/** Repairs of a Converse history beside its pairs. */
import type { Row, WireRequest } from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import type { MixFault, RoleFault } from "../detect/order-converse.ts";
import { otherVendors } from "../models.ts";
import type { EditDraft, Fault } from "../rule.ts";
import { continueText, emptyRowText, noAnswerText } from "./wording.ts";

/** Blanks go first: what is left decides which rows are neighbours. */
export function takeTurns(request: WireRequest, faults: readonly RoleFault[]): EditDraft[] {
  const blanks = faults.filter(({ what }) => what === "empty-row" || what === "blank-text");
  if (blanks.length > 0) return blanks.flatMap(fillBlank);
  const first = faults.find(({ what }) => what === "assistant-first");
  const opening: EditDraft[] = first === undefined ? [] : [insertRow(first.row.path, "user", [{ text: continueText }])];
  return [...opening, ...runsOf(request, faults).flatMap((run) => joinRun(run, otherVendors(request.model)))];
}

function fillBlank({ row, path, what }: RoleFault): EditDraft[] {
  if (what === "blank-text") return [{ op: "drop", path }];
  const content = [{ text: emptyRowText }];
  return [{ op: row.form === "absent" ? "insert" : "replace", path: row.contentPath, value: content }];
}

/** Neighbouring rows of one role. */
function runsOf({ rows }: WireRequest, faults: readonly RoleFault[]): Row[][] {
  const runs: Row[][] = [];
  for (const { row, what } of faults) {
    if (what !== "same-role") continue;
    const last = runs.at(-1);
    if (last?.at(-1)?.index === row.index - 1) last.push(row);
    else runs.push([rows[row.index - 1]!, row]);
  }
  return runs;
}

/** The first row takes the blocks of the others, results in front; where they may not mix, the assistant says a word. */
function joinRun([first, ...others]: readonly Row[], separate: boolean): EditDraft[] {
  let into = first!;
  return others.flatMap((row): EditDraft[] => {
    if (row.role === "user" && separate && holdsResults(into) !== holdsResults(row)) {
      into = row;
      return [insertRow(row.path, "assistant", [{ text: noAnswerText }])];
    }
    const lead = into.blocks.findLastIndex((block) => block.kind === "result") + 1;
    const moves = row.blocks.map((block): EditDraft => {
      const at = block.kind === "result" ? lead : into.blocks.length;
      return { op: "move", path: `${into.contentPath}/${at}`, from: block.path };
    });
    return [...moves, { op: "drop", path: row.path }];
  });
}

function holdsResults(row: Row): boolean {
  return row.blocks.some((block) => block.kind === "result");
}

/** What stands beside results becomes a row of its own, behind a fixed word of the assistant. */
export function partMixedTurns(_request: WireRequest, faults: readonly MixFault[]): EditDraft[] {
  return faults.flatMap(({ row, others }) => {
    const next = `/messages/${row.index + 1}`;
    const lifted = others.map(({ block }) => lift(block.path));
    return [
      ...others.map(({ block }): EditDraft => ({ op: "drop", path: block.path })),
      insertRow(next, "assistant", [{ text: noAnswerText }]),
      insertRow(next, "user", lifted),
    ];
  });
}

/** The tools that the history names, with a schema that takes anything: which they were is not in this body. */
export function offerNamedTools(request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  const calls = request.rows.flatMap((row) => row.blocks.filter((block) => block.kind === "call"));
  const names = new Set(calls.map(({ name }) => name));
  if (names.size === 0) return [];
  const tools = [...names].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
  return faults.map(({ path }) =>
    "toolConfig" in request.body ? { op: "replace", path, value: { tools } } : { op: "insert", path, value: { tools } },
  );
}

export function fillEmptyErrors(_request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  return faults.map(({ path }) => ({ op: "replace", path, value: [{ text: emptyRowText }] }));
}

function insertRow(path: string, role: string, content: readonly unknown[]): EditDraft {
  return { op: "insert", path, value: { role, content } };
}
