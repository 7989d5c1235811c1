/** What happened to the history: new rows behind it, or rows of it rewritten, dropped or inserted. */
import { isObject } from "../../wire/request.ts";
import type { Cause, Change } from "./change.ts";
import { isSystemRow, type PromptList, type PromptPart } from "./prompt-layout.ts";
import { findGap, type Gap, identifyRow } from "./row-alignment.ts";
import { compareValues, type Difference, type FormDifference } from "./value-difference.ts";
import { commonEnd, commonStart, recogniseVolatile } from "./volatile-text.ts";

/** The first break or the append, and the first row of which only the form changed. */
export function findHistoryChanges(before: PromptList, after: PromptList): readonly Change[] {
  const beside: Change[] = [];
  const first = findFirstChange(before, after, beside);
  return first === null ? beside : [first, ...beside];
}

/** @param beside takes the first change of form and the first change of a note of the provider's own in front of it */
function findFirstChange(before: PromptList, after: PromptList, beside: Change[]): Change | null {
  const noteBeside = (change: Change): void => {
    if (!beside.some(({ cause }) => cause === change.cause)) beside.push(change);
  };
  for (const [index, old] of before.parts.entries()) {
    const now = after.parts[index];
    if (now === undefined) return describeMissingEnd(old, after);
    const { difference, forms, notes } = compareValues(old.value, now.value, now.path, "prompt");
    if (forms.length > 0) noteBeside(describeForm(forms[0]!, now));
    if (notes.length > 0) noteBeside(describeNote(notes[0]!, now));
    if (difference === null) continue;
    if (index === before.parts.length - 1 && isAddedBlock(difference, old, now)) {
      return { ...describe(difference, now), cause: "append", weight: "append" };
    }
    return describeBreak(before, after, index, difference);
  }
  const added = after.parts[before.parts.length];
  return added === undefined ? null : describeNewRow(added);
}

function describeNewRow(row: PromptPart): Change {
  return { cause: "append", weight: "append", path: row.path, unit: row.path, before: undefined, after: row.value };
}

/**
 * How far into AFTER the rows of BEFORE begin, where BEFORE brought only what was new then and AFTER brings everything.
 */
export function findStart(before: PromptList, after: PromptList): number {
  const first = before.parts[0];
  if (first === undefined) return after.parts.length;
  const wanted = identifyRow(first.value);
  return Math.max(
    0,
    after.parts.findLastIndex((part) => identifyRow(part.value) === wanted),
  );
}

function describe(difference: Difference, now: PromptPart) {
  return { path: difference.path, unit: now.path, before: difference.before, after: difference.after };
}

function describeForm(form: FormDifference, now: PromptPart): Change {
  return { cause: "string_vs_blocks", weight: "form", unit: now.path, ...form };
}

function describeNote(note: FormDifference, now: PromptPart): Change {
  return { cause: "history_rewritten", weight: "prompt", certain: false, unit: now.path, ...note };
}

function describeMissingEnd(old: PromptPart, after: PromptList): Change {
  const path = [...after.listPath, old.path.at(-1)!];
  return { cause: "history_dropped", weight: "prompt", path, unit: path, before: old.value, after: undefined };
}

/** The last row got one more block behind its own: everything that was there still leads the prompt. */
function isAddedBlock(difference: Difference, old: PromptPart, now: PromptPart): boolean {
  const onlyAdded = difference.before === undefined && typeof difference.path.at(-1) === "number";
  return onlyAdded && difference.path.length === now.path.length + 2 && isObject(old.value);
}

function describeBreak(before: PromptList, after: PromptList, index: number, difference: Difference): Change {
  const [old, now] = [before.parts[index]!, after.parts[index]!];
  const change = { ...describe(difference, now), weight: "prompt" } as const;
  if (identifyRow(old.value) !== identifyRow(now.value)) {
    const [olds, news] = [before.parts.map(({ value }) => value), after.parts.map(({ value }) => value)];
    const gap = findGap(olds, news, index);
    // A system row that came or went right behind the others is system text.
    const gone = [...olds.slice(index, index + gap.removed), ...news.slice(index, index + gap.inserted)];
    if (index === 0 && gone.every(isSystemRow)) return { ...change, cause: "system_text" };
    const behind = [olds[index + gap.removed], news[index + gap.inserted]] as const;
    const cause = nameCause(gap, old.value, now.value, isRebuilt(...behind));
    if (cause !== "history_rewritten") return { ...change, cause };
  }
  const { before: was, after: is } = difference;
  const volatile = typeof was === "string" && typeof is === "string" ? recogniseVolatile(was, is) : null;
  const cause = volatile === "clock" && isHostText(now, difference) ? "clock" : "history_rewritten";
  return { ...change, cause, ...(volatile !== null && { volatile }) };
}

/** A host that builds its history anew after a restart loses rows and changes those behind them as well. */
function isRebuilt(old: unknown, now: unknown): boolean {
  return old !== undefined && now !== undefined && compareValues(old, now, [], "prompt").difference !== null;
}

function nameCause(gap: Gap, old: unknown, now: unknown, rebuilt: boolean): Cause {
  if (gap.reordered || rebuilt) return "history_rewritten";
  if (gap.removed > 0 && gap.inserted > 0 && resemble(old, now)) return "history_rewritten";
  if (gap.removed > gap.inserted) return "history_dropped";
  // At the end new rows follow anyway, so more rows than before say nothing.
  if (gap.inserted > gap.removed && !gap.reachesEnd) return "history_inserted";
  return "history_rewritten";
}

/** Whether a row is an edited form of another: same speaker, and a block or most of the text in common. */
function resemble(old: unknown, now: unknown): boolean {
  if (!isObject(old) || !isObject(now) || old.role !== now.role || old.type !== now.type) return false;
  const texts = listTexts(old);
  return listTexts(now).some((text) => texts.some((other) => resembleTexts(other, text)));
}

function listTexts(row: Readonly<Record<string, unknown>>): readonly string[] {
  const content = row.content ?? row.parts;
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.slice(0, BLOCKS_COMPARED_MAX).map((block) => {
    const text = isObject(block) && typeof block.text === "string" ? block.text : block;
    return (typeof text === "string" ? text : (JSON.stringify(text) ?? "")).slice(0, TEXT_COMPARED_MAX);
  });
}

/** Real rows hold fewer; every block is compared with every other. */
const BLOCKS_COMPARED_MAX = 32;

/** The first characters of a text say whose edited form it is. */
const TEXT_COMPARED_MAX = 4_096;

/** More than half of the longer text at its two ends; a short greeting in common is none. */
function resembleTexts(a: string, b: string): boolean {
  if (a === b) return a.length > 0;
  const start = commonStart(a, b);
  return (start + commonEnd(a, b, start)) * 2 > Math.max(a.length, b.length);
}

/** A time in what the host wrote is its clock; in a result or an answer it is content. */
function isHostText(now: PromptPart, difference: Difference): boolean {
  if (!isObject(now.value) || !HOST_ROLES.has(now.value.role)) return false;
  const [list, index] = difference.path.slice(now.path.length);
  const blocks = now.value[String(list)];
  const block = Array.isArray(blocks) ? blocks[Number(index)] : null;
  return !isObject(block) || typeof block.text === "string";
}

const HOST_ROLES = new Set<unknown>(["user", "system", "developer"]);
