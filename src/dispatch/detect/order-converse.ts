/** What Bedrock Converse wants of a history beside its pairs: roles in turn, no empty content, one kind in a turn. */
import { isObject, listOf, type Row, type WireRequest } from "../../wire/request.ts";
import { searchNeighbours } from "../../wire/row-memo.ts";
import type { Fault } from "../rule.ts";
import type { PlacedBlock } from "../turns.ts";
import { perRow } from "./per-row.ts";
import type { ThinkingFault } from "./thinking-anthropic.ts";

export interface RoleFault extends Fault {
  readonly row: Row;
  readonly what: "assistant-first" | "same-role" | "empty-row" | "blank-text";
}

/** Roles take turns, the user begins, and nothing is blank. */
export function roleFaults({ rows }: WireRequest): RoleFault[] {
  return roleFaultsOf(rows);
}

const roleFaultsOf = searchNeighbours((row, before): RoleFault[] => {
  const place = { path: `${row.path}/role`, row };
  const blank = row.blocks.filter(isBlank);
  if (row.role === "other" || row.form === "other") return [];
  if (blank.length === row.blocks.length) {
    return [{ path: row.contentPath, message: "a message has no content", row, what: "empty-row" }];
  }
  const found = blank.map(
    ({ path }): RoleFault => ({ path, message: "a text block is blank", row, what: "blank-text" }),
  );
  if (before?.role === row.role) {
    return [...found, { ...place, message: `two ${row.role} messages stand one behind the other`, what: "same-role" }];
  }
  if (before !== undefined || row.role === "user") return found;
  return [...found, { ...place, message: "the conversation begins with the assistant", what: "assistant-first" }];
});

function isBlank(block: Row["blocks"][number]): boolean {
  return block.kind === "text" && block.text.trim() === "";
}

export interface MixFault extends Fault {
  readonly row: Row;
  /** What stands beside the results. */
  readonly others: readonly PlacedBlock[];
}

/** Results and words in one turn. */
export const mixedTurns = perRow((row): MixFault[] => {
  if (row.role !== "user" || row.blocks.some((block) => block.kind === "opaque")) return [];
  const placed = row.blocks.map((block, index) => ({ block, row, index }));
  const others = placed.filter(({ block }) => block.kind !== "result" && block.kind !== "note");
  if (others.length === 0 || !row.blocks.some((block) => block.kind === "result")) return [];
  const message = "a message holds tool results and other content";
  return [{ path: others[0]!.block.path, message, row, others }];
});

/** Tool blocks in the history of a request that offers no tools. */
export function missingToolConfig(request: WireRequest): Fault[] {
  const { toolConfig } = request.body;
  const offered = isObject(toolConfig) ? listOf(toolConfig.tools) : [];
  if (offered.length > 0 || toolBlocks(request).length === 0) return [];
  return [{ path: "/toolConfig", message: "the history holds tool blocks, and the request offers no tools" }];
}

const toolBlocks = perRow((row) => row.blocks.filter(({ kind }) => kind === "call" || kind === "result"));

/** Results with status `error` and nothing in them. */
export const emptyErrors = perRow((row) =>
  row.blocks.flatMap((block): Fault[] => {
    if (block.kind !== "result" || !block.isError || !isObject(block.value)) return [];
    const { toolResult } = block.value;
    if (isObject(toolResult) && listOf(toolResult.content).length > 0) return [];
    const path = `${block.path}/toolResult/content`;
    return [{ path, message: `the result for ${block.callId} reports an error and is empty` }];
  }),
);

/** Reasoning with a signature, and reasoning in a user row: only Claude knows either. */
export const foreignReasoningBlocks = perRow((row) =>
  row.blocks.flatMap((block, index): ThinkingFault[] => {
    if (block.kind !== "thinking") return [];
    const message =
      row.role === "user"
        ? "a user message holds reasoning"
        : "a reasoning block carries a signature or sealed content";
    const refused = row.role === "user" || block.seal !== null;
    return refused ? [{ path: block.path, message, thinking: { block, row, index } }] : [];
  }),
);

/** Cache points, for models that have no prompt cache. */
export function cachePoints(request: WireRequest): Fault[] {
  const { system, toolConfig } = request.body;
  const tools = isObject(toolConfig) ? toolConfig.tools : undefined;
  return [...pointsIn(tools, "/toolConfig/tools"), ...pointsIn(system, "/system"), ...rowPoints(request)];
}

const rowPoints = perRow((row) => pointsIn(row.value.content, row.contentPath));

function pointsIn(list: unknown, path: string): Fault[] {
  return listOf(list).flatMap((block, index) =>
    isObject(block) && "cachePoint" in block
      ? [{ path: `${path}/${index}`, message: "a cache point, and this model has no prompt cache" }]
      : [],
  );
}
