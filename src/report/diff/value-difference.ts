/**
 * The first place where two values of a prompt differ for the model, deepest level. Cache markers are skipped, and a
 * string equals a list of one text block with the same text.
 */
import { isDeepStrictEqual } from "node:util";
import type { PathStep } from "../../lib/json-pointer.ts";
import { isObject, type JsonObject } from "../../wire/request.ts";
import { holdsToolData, isMarkerEntry, isMarkerName } from "./prompt-marker.ts";

export interface Difference {
  readonly kind: "value" | "key-order";
  readonly path: readonly PathStep[];
  readonly before: unknown;
  readonly after: unknown;
}

/** A text that became a block, or the other way: the same for the model, other bytes. */
export interface FormDifference {
  readonly path: readonly PathStep[];
  readonly before: unknown;
  readonly after: unknown;
}

export interface ComparedValues {
  readonly difference: Difference | null;
  readonly forms: readonly FormDifference[];
  /** Members that a provider wrote into its own answer and that no model reads; whether its cache does is not known. */
  readonly notes: readonly FormDifference[];
}

/**
 * @param path of `after` in its body
 * @param region `tool` where the order of members counts everywhere, `prompt` where it counts only in tool data
 */
export function compareValues(
  before: unknown,
  after: unknown,
  path: readonly PathStep[],
  region: Region,
): ComparedValues {
  const forms: FormDifference[] = [];
  const notes: FormDifference[] = [];
  const steps = [...path];
  const value = new Walk(steps, forms, notes).compare(before, after, false);
  const difference = value ?? findKeyOrder(before, after, steps, region);
  return { difference, forms, notes };
}

export type Region = "tool" | "prompt";

class Walk {
  readonly #path: PathStep[];
  readonly #forms: FormDifference[];
  readonly #notes: FormDifference[];

  constructor(path: PathStep[], forms: FormDifference[], notes: FormDifference[]) {
    this.#path = path;
    this.#forms = forms;
    this.#notes = notes;
  }

  compare(before: unknown, after: unknown, toolData: boolean): Difference | null {
    if (before === after) return null;
    if (Array.isArray(before) && Array.isArray(after)) return this.#lists(before, after, toolData);
    if (isObject(before) && isObject(after)) return this.#objects(before, after, toolData);
    if (!toolData && Array.isArray(before) !== Array.isArray(after)) return this.#textForms(before, after);
    return this.#here(before, after);
  }

  #lists(before: readonly unknown[], after: readonly unknown[], toolData: boolean): Difference | null {
    const was = promptEntries(before, toolData);
    const is = promptEntries(after, toolData);
    for (let i = 0; i < Math.max(was.length, is.length); i++) {
      const index = is[i]?.index ?? was[i]!.index;
      const difference = this.#below(index, was[i]?.value, is[i]?.value, toolData);
      if (difference !== null) return difference;
    }
    return null;
  }

  #objects(before: JsonObject, after: JsonObject, toolData: boolean): Difference | null {
    for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
      if (!toolData && isMarkerName(name)) continue;
      const [was, is] = [ownMember(before, name), ownMember(after, name)];
      // A member that is null says no more than one that is absent.
      if (!toolData && (was ?? null) === null && (is ?? null) === null) continue;
      if (isDefaultType(this.#path, name, was ?? is) && (was === undefined || is === undefined)) continue;
      if (isAnswerNote(this.#path, name, after.type)) {
        if (!isDeepStrictEqual(was, is)) this.#notes.push({ path: [...this.#path, name], before: was, after: is });
        continue;
      }
      const difference = this.#below(
        name,
        was,
        is,
        toolData || (holdsToolData(name) && (isObject(was) || isObject(is))),
      );
      if (difference !== null) return difference;
    }
    return null;
  }

  #below(step: PathStep, before: unknown, after: unknown, toolData: boolean): Difference | null {
    return below(this.#path, step, () => this.compare(before, after, toolData));
  }

  #textForms(before: unknown, after: unknown): Difference | null {
    const was = readOneText(before);
    const is = readOneText(after);
    if (was === null || is === null) return this.#here(before, after);
    if (was.text !== is.text) {
      const path = Array.isArray(after) ? [...this.#path, is.index, "text"] : [...this.#path];
      return { kind: "value", path, before: was.text, after: is.text };
    }
    // A host that marks a block makes it from a string only while it carries the marker: that is the marker's doing.
    if (!was.marked && !is.marked) this.#forms.push({ path: [...this.#path], before, after });
    return null;
  }

  #here(before: unknown, after: unknown): Difference {
    return { kind: "value", path: [...this.#path], before, after };
  }
}

/** An item of the Responses API without a type is a message. */
function isDefaultType(path: readonly PathStep[], name: string, value: unknown): boolean {
  return path[0] === "input" && path.length === 2 && name === "type" && value === "message";
}

/**
 * Whether a member only describes the answer that it came with: the provider's own id of an item, its state, how likely its
 * tokens were, its place in a stream. Clients that build a history anew leave these out.
 */
function isAnswerNote(path: readonly PathStep[], name: string, type: unknown): boolean {
  const [list, , member] = path;
  if (list === "input" && path.length === 2) return type !== "item_reference" && (name === "id" || name === "status");
  if (list === "input" && path.length === 4 && member === "content")
    return name === "logprobs" || name === "annotations";
  return list === "messages" && path.length === 4 && member === "tool_calls" && name === "index";
}

function promptEntries(list: readonly unknown[], toolData: boolean): { value: unknown; index: number }[] {
  const entries = list.map((value, index) => ({ value, index }));
  return toolData ? entries : entries.filter(({ value }) => !isMarkerEntry(value));
}

function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface OneText {
  readonly text: string;
  readonly index: number;
  readonly marked: boolean;
}

/** The text of a string or of a list that holds one text block and nothing else. */
export function readOneText(value: unknown): OneText | null {
  if (typeof value === "string") return { text: value, index: 0, marked: false };
  if (!Array.isArray(value)) return null;
  const entries = promptEntries(value, false);
  const only = entries[0];
  if (entries.length !== 1 || only === undefined || !isObject(only.value)) return null;
  const { type, text } = only.value;
  if (typeof text !== "string" || (type !== undefined && !TEXT_TYPES.has(type))) return null;
  const marked = value.length > 1 || Object.keys(only.value).some(isMarkerName);
  return { text, index: only.index, marked };
}

const TEXT_TYPES = new Set<unknown>(["text", "input_text", "output_text"]);

/** The first object, in the order of the bytes, whose members stand in another order. */
function findKeyOrder(
  before: unknown,
  after: unknown,
  path: PathStep[],
  region: Region,
  toolData = false,
): Difference | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    const was = promptEntries(before, toolData);
    return firstOf(promptEntries(after, toolData), ({ value, index }, i) =>
      below(path, index, () => findKeyOrder(was[i]?.value, value, path, region, toolData)),
    );
  }
  if (!isObject(before) || !isObject(after)) return null;
  const was = sharedNames(before, after, toolData);
  return firstOf(sharedNames(after, before, toolData), (name, i) => {
    const counts = toolData || region === "tool";
    if (counts && name !== was[i]) return { kind: "key-order", path: [...path], before, after };
    const inData = toolData || holdsToolData(name);
    return below(path, name, () => findKeyOrder(before[name], after[name], path, region, inData));
  });
}

function sharedNames(object: JsonObject, other: JsonObject, toolData: boolean): string[] {
  return Object.keys(object).filter((name) => Object.hasOwn(other, name) && (toolData || !isMarkerName(name)));
}

function below<T>(path: PathStep[], step: PathStep, find: () => T): T {
  path.push(step);
  const found = find();
  path.pop();
  return found;
}

function firstOf<T, R>(items: readonly T[], find: (item: T, index: number) => R | null): R | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== null) return found;
  }
  return null;
}
