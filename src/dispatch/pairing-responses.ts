/**
 * Which call is answered by which output in a Responses input. Pairs are matched by their id over the whole input:
 * OpenAI does not mind what stands between the two, nor which comes first.
 */
import type { Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
import { historyMemo, searchRows } from "../wire/row-memo.ts";
import { type IdMark, idTally } from "./id-tally.ts";
import { noResultText } from "./repair/wording.ts";

export interface ItemCall {
  readonly call: ToolCall;
  readonly row: Row;
}

export interface ItemResult {
  readonly result: ToolResult;
  readonly row: Row;
}

export interface RepeatedItemResult extends ItemResult {
  readonly kept: ItemResult;
}

export interface ItemPairing {
  readonly openCalls: readonly ItemCall[];
  readonly orphans: readonly ItemResult[];
  /** Outputs beyond the one that each call keeps. */
  readonly repeated: readonly RepeatedItemResult[];
  /** Paths of items that hold an unknown structure: their neighbourhood is not judged (DG-6). */
  readonly unjudged: readonly string[];
}

/** Computed once per history: several rules ask for it. */
export function itemPairingOf({ rows, anchor }: WireRequest): ItemPairing {
  const unjudged = opaquePaths(rows);
  // The other half of any pair may lie with the provider.
  if (anchor !== null || !hasOddPairs(rows)) return { openCalls: [], orphans: [], repeated: [], unjudged };
  return { ...pairItems(rows), unjudged };
}

const opaquePaths = searchRows((row) => (row.blocks.some((block) => block.kind === "opaque") ? [row.path] : []));

/** Nearly no history has any; what exactly is wrong is looked for in those that do. */
const hasOddPairs = idTally(["call", "result", "other"], marksOf, ({ call, result, other }) => {
  const alone = call > 0 !== result > 0 && other === 0;
  return alone || (call > 0 && result > call);
});

function marksOf(row: Row): IdMark<"call" | "result" | "other">[] {
  const marks = row.blocks.flatMap((block): IdMark<"call" | "result">[] => {
    if (block.kind === "call") return [{ id: block.id, part: "call" }];
    return block.kind === "result" ? [{ id: block.callId, part: "result" }] : [];
  });
  const { call_id: id } = row.value;
  return marks.length === 0 && typeof id === "string" ? [{ id, part: "other" }] : marks;
}

const pairItems = historyMemo<Omit<ItemPairing, "unjudged">>((rows) => {
  const stretches = new Stretches(rows);
  const calls = Map.groupBy(rows.flatMap(callsOf), ({ call }) => call.id);
  const results = Map.groupBy(rows.flatMap(resultsOf), ({ result }) => result.callId);
  const others = new Set(rows.filter((row) => !isCallOrResult(row)).map((row) => row.value.call_id));
  const openCalls = [...calls].flatMap(([id, sharing]) => {
    const last = sharing.at(-1)!;
    return results.has(id) || others.has(id) || stretches.isUnknown(last.row, 1) ? [] : [last];
  });
  const orphans = [...results].flatMap(([id, sharing]) =>
    calls.has(id) || others.has(id) ? [] : sharing.filter(({ row }) => !stretches.isUnknown(row, -1)),
  );
  const repeated = [...results].flatMap(([id, sharing]) => repeatedOf(sharing, calls.get(id)?.length ?? 0));
  return { openCalls, orphans, repeated };
});

/** As many outputs stay as there are calls of the id; those that say something first. */
function repeatedOf(results: readonly ItemResult[], calls: number): RepeatedItemResult[] {
  if (calls === 0 || results.length <= calls) return [];
  const isMade = ({ row }: ItemResult) => row.value.output === noResultText;
  const ordered = [...results.filter((one) => !isMade(one)), ...results.filter(isMade)];
  return ordered.slice(calls).map((one) => ({ ...one, kept: ordered[calls - 1]! }));
}

/** The input cut at the messages of user and developer: an unknown item casts doubt on its stretch and the next to it. */
class Stretches {
  readonly #stretchOf: readonly number[];
  readonly #unknown = new Set<number>();

  constructor(rows: readonly Row[]) {
    let stretch = 0;
    this.#stretchOf = rows.map((row) => {
      const begins = row.blocks[0]?.kind !== "note" && (row.role === "user" || row.role === "system");
      if (begins) stretch += 1;
      if (row.role === "other") this.#unknown.add(stretch);
      return stretch;
    });
  }

  isUnknown(row: Row, neighbour: 1 | -1): boolean {
    const stretch = this.#stretchOf[row.index]!;
    return this.#unknown.has(stretch) || this.#unknown.has(stretch + neighbour);
  }
}

function callsOf(row: Row): ItemCall[] {
  return row.blocks.flatMap((call) => (call.kind === "call" ? [{ call, row }] : []));
}

function resultsOf(row: Row): ItemResult[] {
  return row.blocks.flatMap((result) => (result.kind === "result" ? [{ result, row }] : []));
}

function isCallOrResult(row: Row): boolean {
  return row.blocks.some((block) => block.kind === "call" || block.kind === "result");
}
