/** Tool-call windows against each other, as multisets: a call by its id, or by what it asks for. */
import { divergence } from "./divergence.ts";
import type { Divergence } from "./verdict.ts";
import type { ToolWindow, WindowCall } from "./window.ts";

export function compareWindows(prepared: readonly ToolWindow[], observed: readonly ToolWindow[]): Divergence[] {
  let meant = placedCalls(prepared);
  let sent = placedCalls(observed);
  const found: Divergence[] = [];
  // Exact matches first, so that a call that is gone takes no other call's place.
  for (const keyOf of KEYS) {
    const waiting = Map.groupBy(sent.toReversed(), ({ call }) => keyOf(call));
    const pairs = meant.map((placed) => ({ placed, other: waiting.get(keyOf(placed.call))?.pop() }));
    for (const { placed, other } of pairs) {
      if (other !== undefined) found.push(...callDifferences(placed.call, other.call, other.path));
    }
    meant = pairs.filter(({ other }) => other === undefined).map(({ placed }) => placed);
    const taken = new Set(pairs.map(({ other }) => other));
    sent = sent.filter((placed) => !taken.has(placed));
  }
  const dropped = meant.map(({ path }) => divergence("pair_dropped", path, "call", "none"));
  return [...found, ...dropped, ...sent.map(({ path }) => divergence("row_extra", path, "none", "call"))];
}

interface PlacedCall {
  readonly call: WindowCall;
  readonly path: string;
}

function placedCalls(windows: readonly ToolWindow[]): readonly PlacedCall[] {
  return windows.flatMap((window) => window.calls.map((call) => ({ call, path: window.path })));
}

/** By what a call is found again, best first. */
const KEYS: readonly ((call: WindowCall) => string)[] = [
  ({ id, what }) => `${id}\0${what}`,
  ({ id }) => id,
  ({ what }) => what,
];

function callDifferences(call: WindowCall, other: WindowCall, path: string): Divergence[] {
  if (call.what !== other.what) return [divergence("unmodelled", path, "call", "call")];
  const found =
    call.id === other.id || !call.hasId || !other.hasId ? [] : [divergence("id_renamed", path, "call", "call")];
  return [...found, ...resultDifferences(call.results, other.results, path)];
}

function resultDifferences(
  results: WindowCall["results"],
  others: WindowCall["results"],
  path: string,
): readonly Divergence[] {
  if (others.length > results.length) return [divergence("result_synthesised", path, "none", "result")];
  if (others.length < results.length) {
    // A call that keeps one of its results is still a pair.
    return [divergence(others.length === 0 ? "pair_dropped" : "row_missing", path, "result", "none")];
  }
  // A result without words gets some from most hosts: nothing is lost by that.
  const changed = results.filter(
    ({ text, characters }) => characters > 0 && !others.some((result) => result.text === text),
  );
  const rewritten = changed.filter(({ text }) => !others.some((result) => result.text.trim() === text.trim()));
  if (rewritten.length > 0) {
    return [divergence("result_content_changed", path, "result", "result", rewritten.length)];
  }
  return changed.length === 0 ? [] : [divergence("whitespace", path, "result", "result", changed.length)];
}
