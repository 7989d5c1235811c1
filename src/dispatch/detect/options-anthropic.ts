/** Options, the end of the history, and system rows inside it. */
import { isObject, type Row, type WireRequest } from "../../wire/request.ts";
import { parseClaude } from "../models.ts";
import { pairingOf } from "../pairing.ts";
import type { Fault } from "../rule.ts";
import type { Turn } from "../turns.ts";
import { perRow } from "./per-row.ts";
import { isEmptyRow } from "./text-anthropic.ts";
import { thinkingType } from "./thinking-anthropic.ts";

export interface RowFault extends Fault {
  readonly row: Row;
}

/** Forced tool choice on models that do not take it, or together with a thinking budget. */
export function forcedToolChoice(request: WireRequest): Fault[] {
  const choice = request.body.tool_choice;
  const type = isObject(choice) ? choice.type : undefined;
  if (type !== "any" && type !== "tool") return [];
  const model = parseClaude(request.model);
  const refuses = (model?.line === "fable" || model?.line === "mythos") && model.version >= 501;
  if (!refuses && thinkingType(request) !== "enabled") return [];
  return [
    {
      path: "/tool_choice/type",
      message: `tool_choice '${type}' is not supported ${refuses ? "for this model" : "together with thinking"}`,
    },
  ];
}

/** The history ends with an assistant turn that has nothing left to wait for. */
export function prefill(request: WireRequest): RowFault[] {
  const row = request.rows.at(-1);
  if (row?.role !== "assistant" || row.form === "other") return [];
  const turn = pairingOf(request).turns.at(-1)!;
  // An open call is A-PAIR-1; a turn that a server tool paused is sent back as it is and goes on.
  const waits = turn.opaque || turn.blocks.some(({ block }) => block.kind === "call" || block.kind === "server-call");
  return waits
    ? []
    : [
        {
          path: row.path,
          message: "the conversation ends with an assistant message; this model takes no prefill",
          row,
        },
      ];
}

export function isEmptyTail(row: Row): boolean {
  return isEmptyRow(row);
}

/** System rows on models that know only the top-level system prompt. */
export function systemRows(request: WireRequest): RowFault[] {
  return listedSystemRows(request).map((row) => ({
    path: `${row.path}/role`,
    message: "this model takes no system role inside messages",
    row,
  }));
}

/** Newer models take system rows, but only in front of an assistant row or at the end. */
export function misplacedSystemRows(request: WireRequest): RowFault[] {
  return listedSystemRows(request).flatMap((row) => {
    let at = row.index + 1;
    while (request.rows[at]?.role === "system") at += 1;
    const next = request.rows[at];
    if (next === undefined || next.role === "assistant" || next.role === "other") return [];
    const message = "a system row must stand in front of an assistant message or at the end";
    return [{ path: `${row.path}/role`, message, row }];
  });
}

const listedSystemRows = perRow((row) => (row.role === "system" ? [row] : []));

/** Documented limit of rows in one request. */
const ROWS_MAX = 100_000;

export function tooManyRows(request: WireRequest): Fault[] {
  if (request.rows.length <= ROWS_MAX) return [];
  return [{ path: `/messages/${ROWS_MAX}`, message: `${request.rows.length} messages; at most ${ROWS_MAX} are taken` }];
}

/** Server tools whose call or result stands alone. A turn at the very end may have been paused. */
export function brokenServerCalls(request: WireRequest): Fault[] {
  if (serverBlocks(request).length === 0) return [];
  const { turns } = pairingOf(request);
  const callsBefore = new Set<string>();
  return turns.flatMap((turn, index) => {
    if (turn.role !== "assistant") return [];
    const faults = turn.opaque ? [] : serverFaults(turn, { last: index === turns.length - 1, callsBefore });
    for (const { block } of turn.blocks) if (block.kind === "server-call") callsBefore.add(block.id);
    return faults;
  });
}

const serverBlocks = perRow((row) =>
  row.blocks.filter(({ kind }) => kind === "server-call" || kind === "server-result"),
);

function serverFaults(
  turn: Turn,
  { last, callsBefore }: { readonly last: boolean; readonly callsBefore: ReadonlySet<string> },
): Fault[] {
  const blocks = turn.blocks.map(({ block }) => block);
  // Calls that code of the provider makes are answered by the client first: the server's result comes a turn later.
  const nested = blocks.some((block) => block.kind === "call" && isObject(block.value) && "caller" in block.value);
  return blocks.flatMap((block, at): Fault[] => {
    if (block.kind === "server-call") {
      // Behind a call of the client the provider does not see the result, though it stands there.
      const hidden = !nested && blocks.slice(0, at).some((earlier) => earlier.kind === "call");
      const answered = blocks
        .slice(at + 1)
        .some((later) => later.kind === "server-result" && later.callId === block.id);
      if (hidden) {
        return [{ path: block.path, message: `the server tool call ${block.id} stands behind a call of the client` }];
      }
      if (answered || nested || last) return [];
      return [{ path: block.path, message: `the server tool call ${block.id} has no result in the same message` }];
    }
    if (block.kind === "server-result") {
      const called = blocks
        .slice(0, at)
        .some((earlier) => earlier.kind === "server-call" && earlier.id === block.callId);
      if (called || callsBefore.has(block.callId)) return [];
      return [{ path: block.path, message: `the server tool result for ${block.callId} has no call before it` }];
    }
    return [];
  });
}
