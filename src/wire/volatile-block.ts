/**
 * System blocks that a host renews with every request and that are no part of the prompt: every identity leaves them out, by
 * name (DG-63). A date in a system text is none: it is prompt, and a new one costs the cache.
 */
import { isObject, type JsonObject, listOf } from "./request.ts";

/** Each by its name and what its text begins with. Seen in the bodies of OMP and Claude Code; the provider caches without it. */
const VOLATILE_BLOCKS = [{ name: "billing-line", begins: "x-anthropic-billing-header:" }] as const;

export type VolatileBlockName = (typeof VOLATILE_BLOCKS)[number]["name"];

/** @returns null for everything that is prompt */
export function volatileNameOf(block: unknown): VolatileBlockName | null {
  const text = isObject(block) ? block.text : undefined;
  return typeof text === "string" ? volatileNameOfText(text) : null;
}

export function volatileNameOfText(text: string): VolatileBlockName | null {
  return VOLATILE_BLOCKS.find(({ begins }) => text.startsWith(begins))?.name ?? null;
}

/** Names of those that stand in the system text of a body. */
export function volatileNamesIn({ system }: JsonObject): VolatileBlockName[] {
  return listOf(system).flatMap((block) => volatileNameOf(block) ?? []);
}
