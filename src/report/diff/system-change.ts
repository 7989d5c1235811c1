/** What happened to the system text: other words, or only a clock in it. */
import type { Change } from "./change.ts";
import type { PromptList, PromptPart } from "./prompt-layout.ts";
import { type ComparedValues, compareValues, readOneText } from "./value-difference.ts";
import { recogniseVolatile } from "./volatile-text.ts";

/** Block by block, in order, at most one change per cause. */
export function findSystemChanges(before: PromptList, after: PromptList): readonly Change[] {
  const changes: Change[] = [];
  for (let i = 0; i < Math.max(before.parts.length, after.parts.length); i++) {
    const [old, now] = [before.parts[i], after.parts[i]];
    const unit = now?.path ?? [...after.listPath, old!.path.at(-1)!];
    const { difference, forms } = compareParts(old, now, unit);
    for (const form of forms) changes.push({ cause: "string_vs_blocks", weight: "form", unit, ...form });
    if (difference === null) continue;
    const { path, before: was, after: is } = difference;
    const volatile = typeof was === "string" && typeof is === "string" ? recogniseVolatile(was, is) : null;
    const cause = volatile === "clock" ? "clock" : "system_text";
    changes.push({
      cause,
      weight: "prompt",
      path,
      unit,
      before: was,
      after: is,
      ...(volatile !== null && { volatile }),
    });
    // Behind a block that came or went, nothing stands beside its own older self any more.
    if (volatile === null && before.parts.length !== after.parts.length) break;
  }
  return changes.filter((change, index) => changes.findIndex(({ cause }) => cause === change.cause) === index);
}

/** One side may be a plain text and the other a list of blocks. */
function compareParts(
  old: PromptPart | undefined,
  now: PromptPart | undefined,
  path: PromptPart["path"],
): Pick<ComparedValues, "difference" | "forms"> {
  if (old === undefined || now === undefined || (typeof old.value === "string") === (typeof now.value === "string")) {
    return compareValues(old?.value, now?.value, path, "prompt");
  }
  const asList = (value: unknown): unknown => (typeof value === "string" ? value : [value]);
  const texts = [readOneText(asList(old.value)), readOneText(asList(now.value))] as const;
  if (texts[0] === null || texts[1] === null)
    return { difference: { kind: "value", path, before: old.value, after: now.value }, forms: [] };
  if (texts[0].text !== texts[1].text) {
    const textPath = typeof now.value === "string" ? path : [...path, "text"];
    return { difference: { kind: "value", path: textPath, before: texts[0].text, after: texts[1].text }, forms: [] };
  }
  const marked = texts[0].marked || texts[1].marked;
  const listPath = typeof now.value === "string" ? path : path.slice(0, -1);
  return { difference: null, forms: marked ? [] : [{ path: listPath, before: old.value, after: now.value }] };
}
