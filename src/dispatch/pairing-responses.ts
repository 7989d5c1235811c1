/**
 * Which call is answered by which output in a Responses input. Pairs are matched by their id over the whole input:
 * OpenAI does not mind what stands between the two, nor which comes first.
 */
import type { Row, ToolCall, ToolResult, WireRequest } from "../wire/request.ts";
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

const known = new WeakMap<WireRequest, ItemPairing>();

/** Computed once per request: several rules ask for it. */
export function itemPairingOf(request: WireRequest): ItemPairing {
  const earlier = known.get(request);
  if (earlier !== undefined) return earlier;
  const pairing = pair(request);
  known.set(request, pairing);
  return pairing;
}

function pair({ rows, anchor }: WireRequest): ItemPairing {
  const unjudged = rows.filter((row) => row.blocks.some((block) => block.kind === "opaque")).map((row) => row.path);
  // The other half of any pair may lie with the provider.
  if (anchor !== null) return { openCalls: [], orphans: [], repeated: [], unjudged };
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
  return { openCalls, orphans, repeated, unjudged };
}

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
