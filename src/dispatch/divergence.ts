/** A difference between two histories, with what stood there before and after: never words of the prompt. */
import type { SoftClass } from "./soft-class.ts";
import type { Divergence } from "./verdict.ts";

/** What can stand at a place of a history. `none`: nothing that has a counterpart. */
export type PlaceKind = "user" | "assistant" | "system" | "note" | "media" | "thinking" | "call" | "result" | "none";

export function divergence(name: SoftClass, path: string, meant: PlaceKind, sent: PlaceKind, count = 1): Divergence {
  return { class: name, path, count, kinds: `${meant}>${sent}` };
}
