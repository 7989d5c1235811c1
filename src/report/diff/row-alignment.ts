/**
 * Which row of AFTER is which row of BEFORE, around the first row that differs. Rows with ids are recognised by them,
 * others by their content. Rows that occur once on each side are the anchors, so the cost stays near linear.
 */
import { nodeCrypto } from "../../lib/node-crypto.ts";
import { isObject } from "../../wire/request.ts";
import { isMarkerName } from "./prompt-marker.ts";

/** Rows of BEFORE that no longer stand there, and rows of AFTER that stand in their place. */
export interface Gap {
  readonly removed: number;
  readonly inserted: number;
  /** Nothing of BEFORE follows the gap. */
  readonly reachesEnd: boolean;
  /** The rows are all still there, in another order. */
  readonly reordered: boolean;
}

/**
 * More rows than this on one side are not aligned: the first difference is then called a rewrite. A request of that many
 * rows is far beyond any model's window (100,000 is what one provider takes at all).
 */
export const ROWS_ALIGNED_MAX = 100_000;

/** @param from index of the first row that differs; the rows in front of it are equal */
export function findGap(before: readonly unknown[], after: readonly unknown[], from: number): Gap {
  const [rowsLeft, rowsNow] = [before.slice(from), after.slice(from)];
  if (Math.max(rowsLeft.length, rowsNow.length) > ROWS_ALIGNED_MAX) {
    return { removed: 1, inserted: 1, reachesEnd: false, reordered: false };
  }
  const [old, now] = [rowsLeft.map(identifyRow), rowsNow.map(identifyRow)];
  const [oldCounts, nowCounts] = [countAll(old), countAll(now)];
  const stays = (id: string | undefined): boolean => id !== undefined && oldCounts.get(id) === nowCounts.get(id);
  const anchor = findAnchor(old, now, oldCounts, nowCounts);
  const reordered = old[0] !== now[0] && stays(old[0]) && stays(now[0]);
  if (anchor === null) {
    // No row that occurs once is left: a row that is said often may still stand a little further on.
    const inserted = old[0] === undefined ? -1 : now.indexOf(old[0]);
    if (inserted > 0 && !reordered) return { removed: 0, inserted, reachesEnd: false, reordered };
    const removed = now[0] === undefined ? -1 : old.indexOf(now[0]);
    if (removed > 0 && !reordered) return { removed, inserted: 0, reachesEnd: false, reordered };
    return { removed: old.length, inserted: now.length, reachesEnd: true, reordered };
  }
  let [removed, inserted] = [anchor.old, anchor.now];
  while (removed > 0 && inserted > 0 && old[removed - 1] === now[inserted - 1]) {
    removed -= 1;
    inserted -= 1;
  }
  return { removed, inserted, reachesEnd: false, reordered };
}

/** The ids of a row's calls and results if it has any, else a digest of its content without markers. */
export function identifyRow(row: unknown): string {
  const ids = isObject(row) ? listIds(row) : [];
  if (ids.length > 0) return `${(row as { role?: unknown }).role ?? (row as { type?: unknown }).type} ${ids.join(" ")}`;
  const text =
    JSON.stringify(row, (name, value) => (isMarkerName(name) || name === "cachePoint" ? undefined : value)) ?? "";
  return nodeCrypto().createHash("sha256").update(text).digest("base64");
}

function listIds(row: Readonly<Record<string, unknown>>): readonly string[] {
  const places = [row, ...[row.content, row.tool_calls].flatMap((list) => (Array.isArray(list) ? list : []))];
  return places.flatMap((place) => (isObject(place) ? [place, place.toolUse, place.toolResult] : [])).flatMap(idsOf);
}

/** A host may send an item's own id on one turn and leave it out on the next; the id of the call stays. */
function idsOf(holder: unknown): readonly string[] {
  if (!isObject(holder)) return [];
  const name = ID_NAMES.find((one) => typeof holder[one] === "string" && holder[one] !== "");
  return name === undefined ? [] : [String(holder[name])];
}

const ID_NAMES = ["call_id", "tool_use_id", "tool_call_id", "toolUseId", "id"];

function countAll(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

interface Anchor {
  readonly old: number;
  readonly now: number;
}

/** The first pair of the longest run of rows that occur once on each side and keep their order. */
function findAnchor(
  old: readonly string[],
  now: readonly string[],
  oldCounts: ReadonlyMap<string, number>,
  nowCounts: ReadonlyMap<string, number>,
): Anchor | null {
  const places = new Map(now.map((id, index) => [id, index]));
  const pairs = old.flatMap((id, index) => {
    const unique = oldCounts.get(id) === 1 && nowCounts.get(id) === 1;
    return unique ? [{ old: index, now: places.get(id)! }] : [];
  });
  return startOfLongestRise(pairs);
}

/** Patience sorting: `tails[n]` ends the best rise of n + 1 pairs, `starts` remembers where that rise begins. */
function startOfLongestRise(pairs: readonly Anchor[]): Anchor | null {
  const tails: { pair: Anchor; start: Anchor }[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle]!.pair.now < pair.now) low = middle + 1;
      else high = middle;
    }
    tails[low] = { pair, start: low === 0 ? pair : tails[low - 1]!.start };
  }
  return tails.at(-1)?.start ?? null;
}
