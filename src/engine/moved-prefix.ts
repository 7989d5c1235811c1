/** Whether the prompt prefix of a history may have moved; why it did is a question for `report/diff`. */
import type { ReadBody } from "../dispatch/body-reader.ts";
import type { WireRequest } from "../wire/request.ts";
import { volatileNameOf } from "../wire/volatile-block.ts";
import type { RequestBefore } from "./engine.ts";
import type { LaneJoin } from "./lanes.ts";

/** The request before, if this one leaves or rewrites its history, or has another model or member beside the rows. */
export function movedFrom({ kind, before }: LaneJoin, body: ReadBody, request: WireRequest): RequestBefore | null {
  if (before === null) return isNew(kind, request) ? null : { kind: "not-kept" };
  const leaves = kind === "forks" || kind === "opens";
  if (!leaves && before.model === request.model && !hasMoved(before.body, body, request)) return null;
  // A copy, because the memory behind it is that of the lane's next body.
  return { kind: "kept", bytes: new Uint8Array(before.body.bytes), model: before.model };
}

/** Nobody has answered yet, so there is nothing that it could go on with. */
function isNew(kind: LaneJoin["kind"], { rows }: WireRequest): boolean {
  return kind === "opens" && rows.every(({ role }) => role !== "assistant");
}

function hasMoved(before: ReadBody, body: ReadBody, request: WireRequest): boolean {
  const rows = request.rowsPath.slice(1);
  const names = new Set([...Object.keys(before.value), ...Object.keys(body.value)]);
  return [...names].some((name) => name !== rows && !isSame(before.value[name], body.value[name]));
}

/** A body that was read by its difference has the same objects; others are compared by their text. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(promptOf(a)) === JSON.stringify(promptOf(b));
}

/** A line that is new in every request moves nothing (DG-63). */
function promptOf(member: unknown): unknown {
  return Array.isArray(member) ? member.filter((block) => volatileNameOf(block) === null) : member;
}
