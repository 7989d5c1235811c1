/**
 * A prefix as a document recorded it: scope lists in the order that was written, because an older encoder may have
 * hashed exactly that order (PI-31).
 */
import { ScopeSet } from "../authority/scope.ts";
import { HoldfastError } from "../lib/error.ts";
import type { PrefixDocument } from "./identity.ts";

export interface RecordedTool {
  readonly name: string;
  readonly required_scopes?: readonly string[];
}

export interface RecordedPrefix extends PrefixDocument {
  readonly tools: readonly RecordedTool[];
  readonly deferred_tools?: readonly RecordedTool[];
}

/**
 * Checks the shape of `{"conversation", "tools", "deferred_tools"?}` as parsed from JSON; everything else stays as it is.
 * @throws HoldfastError `plan_invalid` with `details.path`
 */
export function parseRecordedPrefix(value: unknown): RecordedPrefix {
  if (typeof value !== "object" || value === null) throw planInvalid("", "an object");
  const { conversation, tools, deferred_tools } = value as Record<string, unknown>;
  if (!Array.isArray(conversation)) throw planInvalid("/conversation", "an array");
  return {
    conversation,
    tools: parseTools(tools, "/tools"),
    ...(deferred_tools !== undefined && { deferred_tools: parseTools(deferred_tools, "/deferred_tools") }),
  };
}

/** The same prefix with scope lists as sets: the form that today's identity is taken over. */
export function withScopeSets(recorded: RecordedPrefix): PrefixDocument {
  return {
    conversation: recorded.conversation,
    tools: recorded.tools.map(withScopeSet),
    ...(recorded.deferred_tools && { deferred_tools: recorded.deferred_tools.map(withScopeSet) }),
  };
}

export function planInvalid(path: string, expected: string): HoldfastError {
  return new HoldfastError("plan_invalid", `${path === "" ? "the plan" : path} must be ${expected}`, {
    details: { path },
  });
}

function withScopeSet(tool: RecordedTool): { readonly name: string; readonly required_scopes?: ReadonlySet<string> } {
  const { required_scopes: scopes, ...rest } = tool;
  return scopes === undefined ? rest : { ...rest, required_scopes: new ScopeSet(scopes) };
}

function parseTools(value: unknown, path: string): readonly RecordedTool[] {
  if (!Array.isArray(value)) throw planInvalid(path, "an array");
  const names = new Set<string>();
  value.forEach((tool: unknown, index) => {
    if (typeof tool !== "object" || tool === null) throw planInvalid(`${path}/${index}`, "an object");
    const { name, required_scopes: scopes } = tool as Record<string, unknown>;
    if (typeof name !== "string") throw planInvalid(`${path}/${index}/name`, "a text");
    if (names.has(name))
      throw planInvalid(`${path}/${index}/name`, `a name that stands once, but ${name} stands twice`);
    names.add(name);
    if (scopes !== undefined) checkScopeList(scopes, `${path}/${index}/required_scopes`);
  });
  return value as readonly RecordedTool[];
}

function checkScopeList(scopes: unknown, path: string): void {
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== "string"))
    throw planInvalid(path, "an array of texts");
  if (new Set(scopes).size < scopes.length) throw planInvalid(path, "a list in which no scope stands twice");
}
