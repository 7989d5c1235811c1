/** The same value in other bytes: an escape, another number form, members of a message in another order. */

import type { PathStep } from "../../lib/json-pointer.ts";
import type { JsonNode, JsonObjectNode } from "../../lib/json-spans.ts";
import { nodeAtPath } from "./body-place.ts";
import type { Change } from "./change.ts";
import type { PromptList, PromptPart } from "./prompt-layout.ts";
import { holdsToolData, isMarkerName } from "./prompt-marker.ts";

/** A body with the places of its values. */
export interface SpelledBody {
  readonly bytes: Uint8Array;
  readonly root: JsonNode;
}

/**
 * The first part, equal by value, that is spelled in another way; white space between values does not count. An order of
 * members that `JSON.parse` hides (names that are numbers) is found here too, and in a tool it reaches the model.
 * @param lists of tools, system text and rows, side by side
 */
export function findSpellingChange(
  before: SpelledBody,
  after: SpelledBody,
  lists: readonly (readonly [PromptList, PromptList])[],
): Change | null {
  for (const [old, now] of pairParts(lists)) {
    const [oldNode, node] = [nodeAtPath(before.root, old.path), nodeAtPath(after.root, now.path)];
    if (oldNode === undefined || node === undefined || sameBytes(before, oldNode, after, node)) continue;
    const found = compareSpelling(before, oldNode, after, node, [...now.path]);
    if (found === null) continue;
    const [was, is] = [spell(before, found.old), spell(after, found.now)];
    const change = { path: found.path, unit: now.path, before: was, after: is };
    const isTool = lists[0]?.[1].parts.includes(now) ?? false;
    const isToolData = isTool || found.path.some((step) => holdsToolData(String(step)));
    // A provider may show the model a number of a tool as it stands in the bytes; none says so.
    if (isToolData && found.now.kind === "number") {
      return { ...change, cause: "spelling_only", weight: "spelling", certain: false };
    }
    if (found.now.kind !== "object" || !isToolData) return { ...change, cause: "spelling_only", weight: "spelling" };
    return { ...change, cause: isTool ? "schema_key_order" : "history_rewritten", weight: "prompt" };
  }
  return null;
}

function* pairParts(
  lists: readonly (readonly [PromptList, PromptList])[],
): Generator<readonly [PromptPart, PromptPart]> {
  for (const [olds, news] of lists) {
    for (const [index, old] of olds.parts.entries()) {
      const now = news.parts[index];
      if (now !== undefined) yield [old, now];
    }
  }
}

interface Spelled {
  readonly path: readonly PathStep[];
  readonly old: JsonNode;
  readonly now: JsonNode;
}

function compareSpelling(
  before: SpelledBody,
  old: JsonNode,
  after: SpelledBody,
  now: JsonNode,
  path: PathStep[],
): Spelled | null {
  if (old.kind === "array" && now.kind === "array") {
    // Lists of unequal length differ by a marker entry: their entries do not stand side by side.
    const pairs =
      old.items.length === now.items.length ? now.items.map((item, i) => [i, old.items[i]!, item] as const) : [];
    return firstBelow(before, after, path, pairs);
  }
  if (old.kind === "object" && now.kind === "object") {
    const names = sharedNames(now, old);
    if (sharedNames(old, now).some((name, i) => name !== names[i])) return { path: [...path], old, now };
    const [was, is] = [old, now].map(({ members }) => new Map(members.map(({ name, value }) => [name, value])));
    const pairs = names.map((name) => [name, was!.get(name)!, is!.get(name)!] as const);
    return firstBelow(before, after, path, pairs);
  }
  if (old.kind !== now.kind || sameBytes(before, old, after, now)) return null;
  return { path: [...path], old, now };
}

function firstBelow(
  before: SpelledBody,
  after: SpelledBody,
  path: PathStep[],
  pairs: readonly (readonly [PathStep, JsonNode, JsonNode])[],
): Spelled | null {
  for (const [step, old, now] of pairs) {
    path.push(step);
    const found = compareSpelling(before, old, after, now, path);
    path.pop();
    if (found !== null) return found;
  }
  return null;
}

function sharedNames(object: JsonObjectNode, other: JsonObjectNode): string[] {
  const others = new Set(other.members.map(({ name }) => name));
  const names = new Set(object.members.map(({ name }) => name));
  return [...names].filter((name) => others.has(name) && !isMarkerName(name));
}

function sameBytes(before: SpelledBody, old: JsonNode, after: SpelledBody, now: JsonNode): boolean {
  const [was, is] = [before.bytes.subarray(old.start, old.end), after.bytes.subarray(now.start, now.end)];
  return was.length === is.length && Buffer.compare(was, is) === 0;
}

function spell({ bytes }: SpelledBody, node: JsonNode): string {
  return Buffer.from(bytes.subarray(node.start, node.end)).toString();
}
