/**
 * Chat templates that raise an error: Mistral's wants user and assistant in turn, looking past calls and results;
 * Qwen's wants system text at the beginning only. Other templates differ too much to be judged.
 */
import type { Row, WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

export interface TemplateFault extends Fault {
  readonly row: Row;
  readonly what: "late-system" | "out-of-turn";
  /** The spoken row in front of one that is out of turn; null where the conversation begins with the assistant. */
  readonly before: Row | null;
}

export function templateFaults(request: WireRequest): TemplateFault[] {
  const model = request.model ?? "";
  const wantsTurns = /mistral|ministral|mixtral|devstral|magistral|codestral|pixtral|voxtral/i.test(model);
  if ((!wantsTurns && !/qwen/i.test(model)) || strangeRows(request).length > 0) return [];
  return [...lateSystemRows(request), ...(wantsTurns ? rowsOutOfTurn(request) : [])];
}

const strangeRows = perRow((row) => (row.role === "other" ? [row] : []));

const lateSystemRows = perRow((row): TemplateFault[] => {
  if (row.role !== "system" || row.index === 0) return [];
  const message = "the chat template takes a system message at the beginning only";
  return [{ path: `${row.path}/role`, message, row, what: "late-system", before: null }];
});

/** Late system rows are left out: they have a fault of their own. */
function rowsOutOfTurn(request: WireRequest): TemplateFault[] {
  const faults: TemplateFault[] = [];
  let before: Row | null = null;
  for (const row of request.rows.filter(isSpoken)) {
    const due = before === null || before.role === "assistant" ? "user" : "assistant";
    if (row.role !== due) {
      const message = `the chat template wants roles in turn: ${due} is due, ${row.role} stands here`;
      faults.push({ path: row.path, message, row, what: "out-of-turn", before });
    }
    before = row;
  }
  return faults;
}

/** Templates look past tool messages and past assistant rows that call. */
export function isSpoken(row: Row): boolean {
  if (row.role === "user") return true;
  return row.role === "assistant" && !isCalling(row);
}

export function isCalling(row: Row): boolean {
  return row.blocks.some((block) => block.kind === "call");
}
