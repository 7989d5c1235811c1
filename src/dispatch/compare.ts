/**
 * What a host meant to send against what is at the socket. It only names differences (DG-2): none of them is ever a
 * reason to hold a turn back, and an order is not observable (DG-50).
 */
import type { Row, WireRequest } from "../wire/request.ts";
import { compareOrder, compareSpelling } from "./compare-order.ts";
import { compareWindows } from "./compare-windows.ts";
import { compareWords, hostWords, wireWords } from "./compare-words.ts";
import type { SoftClass } from "./soft-class.ts";
import type { Divergence } from "./verdict.ts";
import { type WindowCall, windowsOf } from "./window.ts";

/** Rows beyond this are not compared: the work of one turn needs an end. */
const ROWS_COMPARED_MAX = 20_000;

/**
 * `wire`: rows as the api writes them. `host`: rows of an agent's own array, block for block. What its encoder adds to
 * each request (system rows, markers, grouping, the form of reasoning) is then nothing that was prepared.
 */
export type PreparedForm = "wire" | "host";

/** Where the provider holds the history and gets only what is new, what does not come again is no difference (DG-6). */
export function compareRequest(
  prepared: readonly Row[],
  { rows, anchor }: Pick<WireRequest, "rows" | "anchor">,
  form: PreparedForm,
): readonly Divergence[] {
  const found = differences(prepared, rows, form);
  return summed(anchor === null ? found : found.filter((one) => !ABSENT.has(one.class) && one.kinds !== "none>result"));
}

const ABSENT: ReadonlySet<SoftClass> = new Set([
  "row_missing",
  "pair_dropped",
  "image_trimmed",
  "foreign_reply_rewritten",
]);

export function compareHistories(
  prepared: readonly Row[],
  observed: readonly Row[],
  form: PreparedForm = "wire",
): readonly Divergence[] {
  return summed(differences(prepared, observed, form));
}

function differences(prepared: readonly Row[], observed: readonly Row[], form: PreparedForm): readonly Divergence[] {
  if (prepared.length + observed.length > ROWS_COMPARED_MAX) {
    return [{ class: "unmodelled", path: "", count: 1 }];
  }
  const wordsOf = form === "wire" ? wireWords : hostWords;
  const words = compareWords(wordsOf(prepared), wordsOf(observed));
  const windows = compareWindows(windowsOf(prepared), windowsOf(observed));
  const found = [...windows, ...words];
  if (found.length > 0) return found;
  const order = form === "wire" ? compareSpelling(prepared, observed) : compareOrder(prepared, observed);
  return order === null ? [] : [order];
}

function summed(found: readonly Divergence[]): Divergence[] {
  const byClass = new Map<SoftClass, Divergence>();
  for (const next of found) {
    const before = byClass.get(next.class);
    byClass.set(next.class, before === undefined ? next : { ...before, count: before.count + next.count });
  }
  return [...byClass.values()];
}

/** How much of the results' text was lost: the harm that a comparison of shapes does not see (DG-31). */
export function lostCharacters(
  prepared: readonly Row[],
  observed: readonly Row[],
): { results: number; characters: number } {
  const keyOf = ({ id, hasId, what }: WindowCall) => `${hasId ? id : ""}\0${what}`;
  const after = new Map<string, WindowCall>();
  // An id that occurs again has its first call's results.
  for (const call of windowsOf(observed)
    .flatMap((window) => window.calls)
    .toReversed())
    after.set(keyOf(call), call);
  let [results, characters] = [0, 0];
  for (const call of windowsOf(prepared).flatMap((window) => window.calls)) {
    const other = after.get(keyOf(call)) ?? after.get(keyOf({ ...call, hasId: false }));
    const before = call.results.reduce((sum, result) => sum + result.characters, 0);
    const left = other?.results.reduce((sum, result) => sum + result.characters, 0) ?? 0;
    if (left >= before) continue;
    results += 1;
    characters += before - left;
  }
  return { results, characters };
}
