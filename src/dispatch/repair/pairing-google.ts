/** Repairs of a Gemini history whose calls and responses do not answer each other. */
import {
  isObject,
  type JsonObject,
  type Row,
  stringOf,
  type ToolCall,
  type ToolResult,
  type WireRequest,
} from "../../wire/request.ts";
import { lift } from "../../wire/request-edit.ts";
import {
  type ContentFault,
  type CountFault,
  callsIn,
  isResponsesOnly,
  resultsIn,
  unequalCounts,
} from "../detect/pairing-google.ts";
import type { EditDraft } from "../rule.ts";
import { continueText, furtherResultText, noResultText, orphanText } from "./wording.ts";

/** A stray response goes behind its own call where that one is still open; else its words stay as the user's. */
export function placeResponses(request: WireRequest, faults: readonly ContentFault[]): EditDraft[] {
  const open = unequalCounts(request).flatMap(({ row }) => openCallsOf(request, row).map((call) => ({ call, row })));
  const moved = new Map<Row, ToolResult[]>();
  const edits = faults.flatMap(({ row }) => {
    const results = resultsIn(row);
    const placed = results.filter((result) => {
      const at = open.findIndex(({ call, row: caller }) => call.id === result.callId && caller.index < row.index);
      const [own] = at === -1 ? [] : open.splice(at, 1);
      if (own !== undefined) moved.set(own.row, [...(moved.get(own.row) ?? []), result]);
      return own !== undefined;
    });
    const left = results.filter((result) => !placed.includes(result));
    const isEmptied = left.length === 0 && row.blocks.length === placed.length;
    return [
      ...(isEmptied ? [drop(row.path)] : placed.map(({ path }) => drop(path))),
      ...left.flatMap((result) => toText(result, row, orphanText)),
    ];
  });
  for (const [caller, results] of moved) {
    edits.push(
      ...answer(
        request,
        caller,
        results.map(({ path }) => lift(path)),
      ),
    );
  }
  return edits;
}

/** As many responses as calls, in the one content behind them. */
export function completeResponses(request: WireRequest, faults: readonly CountFault[]): EditDraft[] {
  return faults.flatMap(({ row }) => {
    const further = furtherRows(request, row);
    const gathered = further.flatMap(resultsIn).map(({ path }) => lift(path));
    const surplus = surplusOf(request, row);
    const made = openCallsOf(request, row).map(noResponse);
    const behind = request.rows[row.index + 1];
    return [
      ...further.map(({ path }) => drop(path)),
      ...surplus.flatMap((result) => toText(result, behind!, furtherResultText)),
      ...answer(request, row, [...gathered, ...made]),
    ];
  });
}

/** Calls of a content that nothing answers, in the content behind it or in those that go on with it. */
function openCallsOf(request: WireRequest, row: Row): ToolCall[] {
  const answers = [request.rows[row.index + 1], ...furtherRows(request, row)].flatMap((one) => answersIn(one));
  const left = [...answers];
  const open = callsIn(row).filter((call) => {
    const at = left.findIndex((result) => result.callId === call.id);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  // What is left answers under another name.
  return open.slice(left.length);
}

/** Responses beyond the number of the calls: those that no call has asked for first. */
function surplusOf(request: WireRequest, row: Row): ToolResult[] {
  const calls = callsIn(row);
  const answers = answersIn(request.rows[row.index + 1]);
  const asked = new Set(calls.map(({ id }) => id));
  const ordered = [
    ...answers.filter(({ callId }) => asked.has(callId)),
    ...answers.filter(({ callId }) => !asked.has(callId)),
  ];
  return ordered.slice(calls.length);
}

function answersIn(row: Row | undefined): ToolResult[] {
  return row?.role === "user" ? resultsIn(row) : [];
}

/** Contents that hold nothing but more responses. */
function furtherRows({ rows }: WireRequest, row: Row): Row[] {
  if (answersIn(rows[row.index + 1]).length === 0) return [];
  const further: Row[] = [];
  for (let at = row.index + 2; rows[at]?.role === "user" && isResponsesOnly(rows[at]!); at++) further.push(rows[at]!);
  return further.slice(0, Math.max(0, callsIn(row).length));
}

/** Responses into the content behind the calls, or into one of their own. */
function answer(request: WireRequest, row: Row, responses: readonly unknown[]): EditDraft[] {
  if (responses.length === 0) return [];
  const behind = request.rows[row.index + 1];
  const last = behind?.blocks.findLastIndex((block) => block.kind === "result") ?? -1;
  if (behind?.role === "user" && last !== -1) {
    return responses.map((value) => ({ op: "insert", path: `${behind.contentPath}/${last + 1}`, value }));
  }
  return [{ op: "insert", path: `/contents/${row.index + 1}`, value: { role: "user", parts: responses } }];
}

function noResponse({ name, value }: ToolCall): unknown {
  const call = (value as JsonObject).functionCall ?? (value as JsonObject).function_call;
  const id = isObject(call) ? stringOf(call.id) : "";
  return { functionResponse: { ...(id === "" ? {} : { id }), name, response: { error: noResultText } } };
}

function toText(result: ToolResult, row: Row, frame: (id: string, words: string) => string): EditDraft[] {
  const value = result.value as JsonObject;
  const answer = value.functionResponse ?? value.function_response;
  const words = isObject(answer) ? wordsOf(answer.response) : "";
  const at = row.blocks.indexOf(result);
  return [
    drop(result.path),
    { op: "insert", path: `${row.contentPath}/${at}`, value: { text: frame(result.callId, words) } },
  ];
}

/** Most responses are one text in a member of its own. */
function wordsOf(response: unknown): string {
  const members = isObject(response) ? Object.values(response) : [];
  return members.length === 1 && typeof members[0] === "string" ? members[0] : (JSON.stringify(response) ?? "");
}

/** A call follows the user: where it does not, the user says to go on. */
export function openWithUser(_request: WireRequest, faults: readonly ContentFault[]): EditDraft[] {
  return faults.map(({ row }) => ({
    op: "insert",
    path: row.path,
    value: { role: "user", parts: [{ text: continueText }] },
  }));
}

function drop(path: string): EditDraft {
  return { op: "drop", path };
}
