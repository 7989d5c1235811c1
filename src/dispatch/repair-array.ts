/**
 * Repair of a history that an agent still holds as its own array, before its encoder writes it (DG-20). The encoder would
 * make up a result for a call whose own one stands further down; here the real one still finds its way back. Detection and
 * plans are those of Chat Completions, whose rows are what agents keep: a message each, and one for each result.
 */
import { isObject, type Row, type WireRequest } from "../wire/request.ts";
import { Lifted, type RequestEdit } from "../wire/request-edit.ts";
import { openChatCalls, orphanToolRows } from "./detect/pairing-chat.ts";
import type { ChatCall } from "./pairing-chat.ts";
import { answerChatCalls, orphanRowsToText } from "./repair/pairing-chat.ts";
import type { EditDraft, Rule } from "./rule.ts";

/** An agent's own history: how a row of it is read, and how a row of ours is written in its words. */
export interface HostArray<T> {
  readonly rows: readonly T[];
  /** The row in the form of Chat Completions, at `/messages/index`; parts of its content stay the agent's own. */
  toRow(row: T, index: number): Row;
  /** @param content a string, or a list of text parts and of parts that `toRow` showed */
  toUserRow(content: unknown): T;
}

/** `parted`: a result that stands away from its call. `orphan`: one without a call in front of it. */
export type ArrayFault = "parted" | "orphan";

export interface ArrayRepair<T> {
  /** The very array that was given where nothing was repaired; rows that stay are the same objects. */
  readonly rows: readonly T[];
  /** These rows as they were read. */
  readonly history: readonly Row[];
  readonly edits: readonly RequestEdit[];
}

/** One sweep for each kind of fault, and as many again for what a repair may leave. */
const SWEEPS_MAX = 4;

/** @param ruleOf the rule of the target that a fault would break, or null where it must not be repaired ahead */
export function repairArray<T>(array: HostArray<T>, ruleOf: (fault: ArrayFault) => Rule | null): ArrayRepair<T> {
  let rows = array.rows;
  let history = rows.map(array.toRow);
  const edits: RequestEdit[] = [];
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    const step = planStep(history, ruleOf);
    if (step.length === 0) break;
    edits.push(...step);
    rows = applyRowEdits({ ...array, rows }, history, step);
    history = rows.map(array.toRow);
  }
  return { rows, history, edits };
}

/** A result that finds its call is none to be turned into text: that is why parted ones come first. */
function planStep(history: readonly Row[], ruleOf: (fault: ArrayFault) => Rule | null): RequestEdit[] {
  const request = asRequest(history);
  const parted = openChatCalls(request).filter(
    ({ call }) => call.strayed !== null && !isAnsweredWithout(history, call),
  );
  const moves = edited(ruleOf("parted"), () => answerChatCalls(request, parted));
  if (moves.length > 0) return moves;
  return edited(ruleOf("orphan"), () => orphanRowsToText(request, orphanToolRows(request)));
}

/**
 * The model has replied between call and result, so it was shown the encoder's own result, and the provider's cache holds
 * that. The late one is left to the payload's rules, which keep it as text (DG-26).
 */
function isAnsweredWithout(history: readonly Row[], { runEnd, strayed }: ChatCall): boolean {
  return history.slice(runEnd, strayed!.row.index).some((row) => row.role === "assistant" && row.blocks.length > 0);
}

function asRequest(rows: readonly Row[]): WireRequest {
  const nothing = { body: {}, model: null, tools: [], anchor: null };
  return { api: "openai-completions", rowsPath: "/messages", rows, ...nothing };
}

function edited(rule: Rule | null, plan: () => readonly EditDraft[]): RequestEdit[] {
  return rule === null ? [] : plan().map((draft) => ({ ...draft, rule: rule.id, changes: "shape" }));
}

/** All edits name rows of the same array, as those of a body do. */
function applyRowEdits<T>(array: HostArray<T>, history: readonly Row[], edits: readonly RequestEdit[]): readonly T[] {
  const gone = new Set<number>();
  const inserted = new Map<number, T[]>();
  const put = (index: number, row: T) => inserted.set(index, [...(inserted.get(index) ?? []), row]);
  for (const { op, path, from, value } of edits) {
    const index = indexIn(path);
    if (op === "drop") gone.add(index);
    if (op === "insert") put(index, array.toUserRow(contentOf(value, history)));
    if (op !== "move") continue;
    gone.add(indexIn(from!));
    put(index, array.rows[indexIn(from!)]!);
  }
  const kept = array.rows.flatMap((row, index) => [...(inserted.get(index) ?? []), ...(gone.has(index) ? [] : [row])]);
  return [...kept, ...(inserted.get(array.rows.length) ?? [])];
}

/** The content of a row that a plan inserts, with the agent's own parts where it carries some over. */
function contentOf(row: unknown, history: readonly Row[]): unknown {
  const content = isObject(row) ? row.content : row;
  if (!Array.isArray(content)) return content;
  return content.map((part) => (part instanceof Lifted ? partAt(part.path, history) : part));
}

/** `/messages/ROW/content/PART` */
function partAt(path: string, history: readonly Row[]): unknown {
  const content = history[indexIn(path)]!.value.content;
  return Array.isArray(content) ? content[Number(path.split("/")[4])] : undefined;
}

function indexIn(path: string): number {
  return Number(path.split("/")[2]);
}
