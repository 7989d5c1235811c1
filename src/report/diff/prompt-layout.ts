/**
 * Where the prompt stands in a body: tools, system text and history in the order in which a provider reads them, and
 * everything else. One table row per API family; nothing is copied.
 */
import type { PathStep } from "../../lib/json-pointer.ts";
import type { Api } from "../../wire/api.ts";
import { isObject, type JsonObject } from "../../wire/request.ts";
import { volatileNameOf } from "../../wire/volatile-block.ts";
import { isMarkerEntry, isMarkerName } from "./prompt-marker.ts";

/** A tool, a system block or a message with its place in the body. */
export interface PromptPart {
  readonly path: readonly PathStep[];
  readonly value: unknown;
}

export interface PromptList {
  readonly parts: readonly PromptPart[];
  /** The list that would hold one more; a part that is gone from the end stood there. */
  readonly listPath: readonly PathStep[];
}

export interface PromptLayout {
  readonly tools: PromptList;
  readonly system: PromptList;
  readonly history: PromptList;
  /** The provider holds the history; this body brings only what is new. */
  readonly anchored: boolean;
  /** Members of the body that are no prompt and no marker. */
  readonly settings: JsonObject;
}

export function layOutPrompt(body: JsonObject, api: Api): PromptLayout {
  return LAYOUTS[api](body);
}

const LAYOUTS: Readonly<Record<Api, (body: JsonObject) => PromptLayout>> = {
  "anthropic-messages": layOutAnthropic,
  "openai-completions": layOutChat,
  "mistral-conversations": layOutChat,
  "openai-responses": layOutResponses,
  "openai-codex-responses": layOutResponses,
  "azure-openai-responses": layOutResponses,
  "google-generative-ai": layOutGoogle,
  "google-vertex": layOutGoogle,
  "bedrock-converse-stream": layOutConverse,
};

function layOutAnthropic(body: JsonObject): PromptLayout {
  return {
    tools: listAt(body, ["tools"]),
    system: withoutBilling(listAt(body, ["system"])),
    history: listAt(body, ["messages"]),
    anchored: isObject(body.thread) && body.thread.type === "continue",
    settings: withoutMembers(body, ["tools", "system", "messages"]),
  };
}

/** System text is the rows that lead the history; a later one belongs to the turn at which it stands. */
function layOutChat(body: JsonObject): PromptLayout {
  return {
    ...splitLeadingRows(listAt(body, ["messages"])),
    anchored: false,
    // The older name of the list.
    tools: Array.isArray(body.functions)
      ? joinLists(listAt(body, ["tools"]), listAt(body, ["functions"]))
      : listAt(body, ["tools"]),
    settings: withoutMembers(body, ["tools", "functions", "messages"]),
  };
}

/**
 * On newer models the tools are items of the input (`additional_tools`) in front of the first message. Those that follow
 * later were added on the way and are history.
 */
function layOutResponses(body: JsonObject): PromptLayout {
  const { system, history } = splitLeadingRows(listInput(body));
  const leadingTools = system.parts.filter(({ value }) => isObject(value) && value.type === "additional_tools");
  const rows = system.parts.filter((part) => !leadingTools.includes(part));
  const text = body.instructions == null ? [] : [{ path: ["instructions"], value: body.instructions }];
  return {
    tools: leadingTools.reduce((list, part) => joinLists(list, listBelow(part, "tools")), listAt(body, ["tools"])),
    system: { parts: [...text, ...rows], listPath: system.listPath },
    history,
    anchored: typeof body.previous_response_id === "string" || body.conversation != null,
    settings: withoutMembers(body, ["tools", "instructions", "input"]),
  };
}

/** A plain text is the user's first message. */
function listInput(body: JsonObject): PromptList {
  const list = listAt(body, ["input"]);
  const parts = list.parts.map((part) =>
    typeof body.input === "string" ? { ...part, value: { role: "user", content: body.input } } : part,
  );
  return { ...list, parts };
}

function layOutGoogle(body: JsonObject): PromptLayout {
  const systemName = "system_instruction" in body ? "system_instruction" : "systemInstruction";
  const instruction = body[systemName];
  const toolLists = listAt(body, ["tools"]).parts.map((part) => declarationsOf(part));
  return {
    tools: toolLists.reduce(joinLists, { parts: [], listPath: ["tools", 0, "functionDeclarations"] }),
    system: { parts: instruction == null ? [] : [{ path: [systemName], value: instruction }], listPath: [systemName] },
    history: listAt(body, ["contents"]),
    anchored: false,
    settings: withoutMembers(body, ["tools", systemName, "contents"]),
  };
}

/** One tool entry holds many functions, or is a tool of the provider's own. */
function declarationsOf(entry: PromptPart): PromptList {
  for (const name of ["functionDeclarations", "function_declarations"]) {
    if (isObject(entry.value) && Array.isArray(entry.value[name])) return listBelow(entry, name);
  }
  return { parts: [entry], listPath: entry.path.slice(0, -1) };
}

function layOutConverse(body: JsonObject): PromptLayout {
  const config = isObject(body.toolConfig) ? body.toolConfig : {};
  const settings = withoutMembers(config, ["tools"]);
  return {
    tools: listAt(config, ["toolConfig", "tools"]),
    system: listAt(body, ["system"]),
    history: listAt(body, ["messages"]),
    anchored: false,
    settings: {
      ...withoutMembers(body, ["toolConfig", "system", "messages"]),
      // Also where nothing else stands in it: a choice that comes or goes is then named, not the whole.
      ...(isObject(body.toolConfig) && { toolConfig: settings }),
    },
  };
}

/** The list that the last step of `path` names in `owner`; a text counts as a list of itself. */
function listAt(owner: JsonObject, path: readonly PathStep[]): PromptList {
  const value = owner[path.at(-1)!];
  if (typeof value === "string") return { parts: [{ path, value }], listPath: path };
  if (!Array.isArray(value)) return { parts: [], listPath: path };
  const parts = value.map((entry, index) => ({ path: [...path, index], value: entry }));
  return { parts: parts.filter((part) => !isMarkerEntry(part.value)), listPath: path };
}

function listBelow(part: PromptPart, name: string): PromptList {
  return listAt(part.value as JsonObject, [...part.path, name]);
}

function joinLists(left: PromptList, right: PromptList): PromptList {
  return { parts: [...left.parts, ...right.parts], listPath: right.listPath };
}

function withoutBilling(list: PromptList): PromptList {
  return { ...list, parts: list.parts.filter((part) => volatileNameOf(part.value) === null) };
}

function splitLeadingRows(rows: PromptList): { system: PromptList; history: PromptList } {
  const firstTurn = rows.parts.findIndex(({ value }) => !isSystemRow(value));
  const end = firstTurn === -1 ? rows.parts.length : firstTurn;
  return {
    system: { parts: rows.parts.slice(0, end), listPath: rows.listPath },
    history: { parts: rows.parts.slice(end), listPath: rows.listPath },
  };
}

/**
 * Both layouts with equally many system rows in front of their histories: where one has more, the surplus is compared as
 * rows, so that a row which took the place of dropped ones is seen beside them.
 */
export function levelLeadingRows(before: PromptLayout, after: PromptLayout): readonly [PromptLayout, PromptLayout] {
  const count = Math.min(...[before, after].map((layout) => listLeadingRows(layout).length));
  return [keepLeadingRows(before, count), keepLeadingRows(after, count)];
}

function keepLeadingRows(layout: PromptLayout, count: number): PromptLayout {
  const surplus = listLeadingRows(layout).slice(count);
  if (surplus.length === 0) return layout;
  const system = { ...layout.system, parts: layout.system.parts.filter((part) => !surplus.includes(part)) };
  return { ...layout, system, history: { ...layout.history, parts: [...surplus, ...layout.history.parts] } };
}

/** System rows that stand in the list of the history. */
function listLeadingRows({ system, history }: PromptLayout): readonly PromptPart[] {
  return system.parts.filter(({ path }) => path[0] === history.listPath[0]);
}

export function isSystemRow(value: unknown): boolean {
  return isObject(value) && SYSTEM_ROLES.has(value.role);
}

const SYSTEM_ROLES = new Set<unknown>(["system", "developer"]);

function withoutMembers(body: JsonObject, names: readonly string[]): JsonObject {
  const left = Object.entries(body).filter(
    ([name]) => !names.includes(name) && name !== "model" && !isMarkerName(name),
  );
  return Object.fromEntries(left);
}
