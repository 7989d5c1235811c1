/** Repairs of single items of a Responses input. */
import { isDeepStrictEqual } from "node:util";
import type { Row, WireRequest } from "../../wire/request.ts";
import type { IdFault } from "../detect/ids-anthropic.ts";
import { CONTROL_TOKENS, type ItemFault, type RepeatedItemFault, type TokenFault } from "../detect/items-responses.ts";
import { isReasoning } from "../detect/reasoning-responses.ts";
import type { EditDraft, Fault } from "../rule.ts";
import { sanitiseIds } from "./ids.ts";

/** A reference or a piece of reasoning that is there already goes; anything else goes on without its id. */
export function dropRepeatedIds(_request: WireRequest, faults: readonly RepeatedItemFault[]): EditDraft[] {
  return faults.map(({ path, row, first }) => {
    const isReplay =
      row.value.type === "item_reference" || (isReasoning(row) && isDeepStrictEqual(row.value, first.value));
    return { op: "drop", path: isReplay ? row.path : path };
  });
}

export function sayOutputText(_request: WireRequest, faults: readonly Fault[]): EditDraft[] {
  return faults.map(({ path }) => ({ op: "replace", path, value: "output_text" }));
}

/** Ids are hashed to the length on both sides; a call that only the provider holds keeps the id that it has there. */
export function shortenCallIds(request: WireRequest, faults: readonly IdFault[]): EditDraft[] {
  if (request.anchor === null) return sanitiseIds(request, faults);
  const held = new Set(
    request.rows.flatMap((row) => row.blocks.flatMap((one) => (one.kind === "call" ? [one.id] : []))),
  );
  return sanitiseIds(
    request,
    faults.filter(({ id }) => held.has(id)),
  );
}

/** The name of the tool that was meant: the clean part in front names it, or only one tool begins with it. */
export function restoreCallNames(request: WireRequest, faults: readonly ItemFault[]): EditDraft[] {
  const tools = request.tools.map(({ name }) => name);
  return faults.map(({ path, row }) => ({ op: "replace", path, value: meantName(String(row.value.name), tools) }));
}

function meantName(name: string, tools: readonly string[]): string {
  const clean = /^[a-zA-Z0-9_-]*/.exec(name)![0];
  const joined = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").replace(/_+$/, "");
  const exact = [clean, joined].find((one) => tools.includes(one));
  if (exact !== undefined) return exact;
  const begun = clean === "" ? [] : tools.filter((tool) => tool.startsWith(clean));
  if (begun.length === 1) return begun[0]!;
  return joined === "" ? "unnamed_tool" : joined;
}

/** The item goes; what it led to goes on without ids, so that nothing asks for it. */
export function dropReasoning(request: WireRequest, faults: readonly ItemFault[]): EditDraft[] {
  const gone = new Set(faults.map(({ row }) => row));
  const edits: EditDraft[] = [];
  let isBehind = false;
  for (const row of request.rows) {
    if (gone.has(row)) edits.push({ op: "drop", path: row.path });
    else if (isBehind && isProduct(row)) edits.push({ op: "drop", path: `${row.path}/id` });
    isBehind = gone.has(row) || (isBehind && row.role === "assistant");
  }
  return edits;
}

function isProduct(row: Row): boolean {
  const [block] = row.blocks;
  return (
    row.role === "assistant" && (block?.kind === "call" || block?.kind === "text") && typeof row.value.id === "string"
  );
}

/** A blank on both sides takes the meaning from a token and leaves it readable. */
export function breakTokens(_request: WireRequest, faults: readonly TokenFault[]): EditDraft[] {
  return faults.map(({ path, text }) => ({ op: "replace", path, value: text.replaceAll(CONTROL_TOKENS, "<| $1 |>") }));
}
