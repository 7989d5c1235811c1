/** Ids and the order of roles, as Mistral's own API wants them. */
import type { Row, WireRequest } from "../../wire/request.ts";
import { searchNeighbours } from "../../wire/row-memo.ts";
import type { Fault } from "../rule.ts";
import type { IdFault } from "./ids-anthropic.ts";
import { perRow } from "./per-row.ts";

export interface RowOrderFault extends Fault {
  readonly row: Row;
}

/** Ids that are not nine letters and digits, each once. */
export function foreignMistralIds(request: WireRequest): IdFault[] {
  const faults = new Map<string, IdFault>();
  for (const fault of foreignIdsOfRows(request)) if (!faults.has(fault.id)) faults.set(fault.id, fault);
  return [...faults.values()];
}

const foreignIdsOfRows = perRow((row) =>
  row.blocks.flatMap((block): IdFault[] => {
    if (block.kind !== "call" && block.kind !== "result") return [];
    const id = block.kind === "call" ? block.id : block.callId;
    if (/^[a-zA-Z0-9]{9}$/.test(id)) return [];
    const path = `${block.path}/${block.kind === "call" ? "id" : "tool_call_id"}`;
    return [{ path, message: `the id '${id.slice(0, 80)}' is not nine letters or digits`, id }];
  }),
);

const usersBehindTools = searchNeighbours((row, before): RowOrderFault[] =>
  row.role === "user" && before?.role === "tool" ? [orderFault(row, before)] : [],
);

export function userRowsBehindTools({ rows }: WireRequest): RowOrderFault[] {
  return usersBehindTools(rows);
}

const toolsBehindOthers = searchNeighbours((row, before): RowOrderFault[] => {
  if (row.role !== "tool" || before?.role === "tool" || before?.role === "assistant") return [];
  return [orderFault(row, before)];
});

/** The first row of each run of tool messages that stands behind no assistant row. */
export function toolRowsBehindOthers({ rows }: WireRequest): RowOrderFault[] {
  return toolsBehindOthers(rows);
}

function orderFault(row: Row, before: Row | undefined): RowOrderFault {
  const message = `a ${row.role} message stands ${before === undefined ? "first" : `behind a ${before.role} message`}`;
  return { path: `${row.path}/role`, message, row };
}

/** The last row is the assistant's, and does not say that the answer goes on with it. */
export function assistantAtEnd({ rows }: WireRequest): RowOrderFault[] {
  const row = rows.at(-1);
  if (row?.role !== "assistant" || row.value.prefix === true) return [];
  return [{ path: row.path, message: "the conversation ends with an assistant message without prefix", row }];
}
