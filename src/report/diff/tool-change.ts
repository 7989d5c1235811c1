/**
 * What happened to the tool list. Tools are aligned by name, so that order, addition, removal and change are told apart;
 * the first place in the list that differs decides.
 */
import { isObject, stringOf } from "../../wire/request.ts";
import type { Cause, Change, Weight } from "./change.ts";
import type { PromptList, PromptPart } from "./prompt-layout.ts";
import { compareValues, type Difference } from "./value-difference.ts";
import { recogniseVolatile } from "./volatile-text.ts";

/**
 * Changes of the tool list in its order, at most one per cause. Tools with `defer_loading` are no part of the cached
 * prefix, so what happens among them alone costs nothing.
 */
export function findToolChanges(before: PromptList, after: PromptList): readonly Change[] {
  const breaking = alignTools(withoutDeferred(before), withoutDeferred(after), "prompt");
  return breaking.length > 0 ? breaking : alignTools(before, after, "harmless-prompt");
}

function withoutDeferred(list: PromptList): PromptList {
  return { ...list, parts: list.parts.filter(({ value }) => !(isObject(value) && value.defer_loading === true)) };
}

/** Two cursors run down both lists; a tool that comes too early is remembered and skipped where it used to stand. */
function alignTools(before: PromptList, after: PromptList, weight: Weight): readonly Change[] {
  const [was, is] = [nameTools(before.parts), nameTools(after.parts)];
  const changes = new Map<Cause, Change>();
  const note = (change: Change): void => {
    if (!changes.has(change.cause)) changes.set(change.cause, change);
  };
  const [oldNames, newNames] = [[...was.keys()], [...is.keys()]];
  const early = new Set<string>();
  for (let b = 0, a = 0; b < oldNames.length || a < newNames.length; ) {
    const [oldName, newName] = [oldNames[b], newNames[a]];
    const [old, now] = [was.get(oldName ?? ""), is.get(newName ?? "")];
    if (oldName !== undefined && early.has(oldName)) {
      b += 1;
    } else if (newName !== undefined && newName === oldName) {
      for (const change of compareTools(old!, now!, weight)) note(change);
      b += 1;
      a += 1;
    } else if (newName !== undefined && !was.has(newName)) {
      note({ cause: "tool_added", weight, unit: now!.path, ...describePlace(old, now, after) });
      a += 1;
    } else if (oldName !== undefined && !is.has(oldName)) {
      const place = describePlace(old, now, after);
      note({ cause: "tool_removed", weight, unit: now?.path ?? place.path, ...place });
      b += 1;
    } else {
      note({ cause: "tool_order", weight, unit: now!.path, ...describePlace(old, now, after) });
      for (const change of compareTools(was.get(newName!)!, now!, weight)) note(change);
      early.add(newName!);
      a += 1;
    }
  }
  return [...changes.values()];
}

/** By name; a name that stands twice gets a number behind it. */
function nameTools(parts: readonly PromptPart[]): ReadonlyMap<string, PromptPart> {
  const named = new Map<string, PromptPart>();
  const seen = new Map<string, number>();
  for (const part of parts) {
    const name = nameOf(part.value);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    named.set(JSON.stringify([name, count]), part);
  }
  return named;
}

/** A provider's own tool has no name: its type, its server or its only member says which it is. */
export function nameOf(tool: unknown): string {
  if (!isObject(tool)) return String(tool);
  const inner = [tool.function, tool.toolSpec, tool].find((owner) => isObject(owner) && typeof owner.name === "string");
  if (isObject(inner)) return stringOf(inner.name);
  const type = stringOf(tool.type) + stringOf(tool.server_label);
  return type === "" ? Object.keys(tool).join() : type;
}

function describePlace(
  old: PromptPart | undefined,
  now: PromptPart | undefined,
  after: PromptList,
): Pick<Change, "path" | "before" | "after"> {
  if (now === undefined) return { path: [...after.listPath, old!.path.at(-1)!], before: old!.value, after: undefined };
  if (old === undefined) return { path: now.path, before: undefined, after: now.value };
  const { difference } = compareValues(old.value, now.value, now.path, "tool");
  return difference ?? { path: now.path, before: old.value, after: now.value };
}

function compareTools(old: PromptPart, now: PromptPart, weight: Weight): readonly Change[] {
  const { difference } = compareValues(old.value, now.value, now.path, "tool");
  return difference === null ? [] : [describeChange(difference, now, weight)];
}

function describeChange(difference: Difference, now: PromptPart, weight: Weight): Change {
  const { path, before, after } = difference;
  const change = { weight, path, unit: now.path, before, after };
  if (difference.kind === "key-order") return { ...change, cause: "schema_key_order" };
  const volatile = typeof before === "string" && typeof after === "string" ? recogniseVolatile(before, after) : null;
  return { ...change, cause: volatile === "clock" ? "clock" : "tool_schema", ...(volatile !== null && { volatile }) };
}
