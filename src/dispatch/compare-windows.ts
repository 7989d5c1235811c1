/** Tool-call windows against each other, as multisets: a call by its id, or by what it asks for. */
import { divergence } from "./divergence.ts";
import type { Divergence } from "./verdict.ts";
import type { ToolWindow, WindowCall } from "./window.ts";

export function compareWindows(prepared: readonly ToolWindow[], observed: readonly ToolWindow[]): Divergence[] {
  const meant = placedCalls(prepared);
  const sent = placedCalls(observed);
  const found: Divergence[] = [];
  // Exact matches first, so that a call that is gone takes no other call's place.
  for (const same of MATCHES) {
    for (const placed of [...meant]) {
      const other = sent.find((candidate) => same(placed.call, candidate.call));
      if (other === undefined) continue;
      meant.splice(meant.indexOf(placed), 1);
      sent.splice(sent.indexOf(other), 1);
      found.push(...callDifferences(placed.call, other.call, other.path));
    }
  }
  const dropped = meant.map(({ path }) => divergence("pair_dropped", path, "call", "none"));
  return [...found, ...dropped, ...sent.map(({ path }) => divergence("row_extra", path, "none", "call"))];
}

function placedCalls(windows: readonly ToolWindow[]): { call: WindowCall; path: string }[] {
  return windows.flatMap((window) => window.calls.map((call) => ({ call, path: window.path })));
}

const MATCHES: readonly ((call: WindowCall, other: WindowCall) => boolean)[] = [
  (call, other) => call.id === other.id && call.what === other.what,
  (call, other) => call.id === other.id,
  (call, other) => call.what === other.what,
];

function callDifferences(call: WindowCall, other: WindowCall, path: string): Divergence[] {
  if (call.what !== other.what) return [divergence("unmodelled", path, "call", "call")];
  const found = call.id === other.id ? [] : [divergence("id_renamed", path, "call", "call")];
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
  const changed = results.filter(
    // A result without words gets some from most hosts: nothing is lost by that.
    ({ text, characters }) => characters > 0 && !others.some((result) => result.text === text),
  );
  return changed.length === 0 ? [] : [divergence("result_content_changed", path, "result", "result", changed.length)];
}
