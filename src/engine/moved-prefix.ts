/** Whether the prompt prefix of a lane may have moved; why it did is a question for `report/diff`. */
import type { JsonObject } from "../wire/request.ts";
import { volatileNameOf } from "../wire/volatile-block.ts";
import type { Read } from "./engine-parts.ts";

/** The body before, if this one leaves its history or has another member in front of the prompt. */
export function movedFrom({ join, body, request }: Read): JsonObject | null {
  const { kind, before } = join;
  if (before === null || kind === "repeats") return null;
  if (kind === "forks") return before.value;
  const rows = request.rowsPath.slice(1);
  const names = new Set([...Object.keys(before.value), ...Object.keys(body.value)]);
  const moved = [...names].some((name) => name !== rows && !isSame(before.value[name], body.value[name]));
  return moved ? before.value : null;
}

/** A body that was read by its difference has the same objects; others are compared by their text. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(promptOf(a)) === JSON.stringify(promptOf(b));
}

/** A line that is new in every request moves nothing (DG-63). */
function promptOf(member: unknown): unknown {
  return Array.isArray(member) ? member.filter((block) => volatileNameOf(block) === null) : member;
}
