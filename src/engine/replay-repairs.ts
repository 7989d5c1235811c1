/** Earlier repairs of a history that its faults alone do not bring about again (DG-25, DG-26). */
import { lateToText, type UnansweredCall, unansweredIn } from "../dispatch/made-results.ts";
import { boundThinking } from "../dispatch/models.ts";
import { replayEdits } from "../dispatch/recipe.ts";
import { rulesOf } from "../dispatch/rules/rules.ts";
import type { Row, ToolCall, WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { EngineParts, Read } from "./engine-parts.ts";
import type { PowerOf } from "./judge-request.ts";
import type { MadePlace, MadeResult } from "./made-results.ts";

/** Edits of the host's own body, to be made before it is judged. */
export function editsToReplay(parts: EngineParts, read: Read, powerOf: PowerOf): readonly RequestEdit[] {
  const { recipes } = parts;
  const { request, join } = read;
  const tails = recipes.isEmpty ? [] : replayEdits(request, join.lane.chain, (anchor) => recipes.at(anchor));
  return [...tails, ...lateResultEdits(parts, read, powerOf)];
}

/**
 * A real result that came late becomes text, so that the made-up one stands where the provider's cache has it; the rule
 * that made it makes it again. With the cache gone, or the real one put into its place by the host, that is over.
 */
function lateResultEdits({ made, clock, counters }: EngineParts, read: Read, powerOf: PowerOf): RequestEdit[] {
  const places = made.isEmpty ? [] : placesIn(read, (anchor) => made.at(anchor));
  if (places.length === 0) return [];
  const { request } = read;
  const unanswered = unansweredIn(request);
  const now = clock.now();
  const edits: RequestEdit[] = [];
  const lapsed: MadePlace[] = [];
  for (const [rule, ofRule] of Map.groupBy(places, ({ result }) => result.rule)) {
    // Without the rule nothing would stand in the place of the real one.
    const record = rulesOf(request.api).find(({ id }) => id === rule);
    if (record === undefined || powerOf(record) !== "proven") continue;
    const late: UnansweredCall[] = [];
    for (const { anchor, result, row, call } of ofRule) {
      const open = unanswered.get(call);
      if (open?.late.length === 0) continue;
      if (open !== undefined && isHeld(request, row, result, now)) late.push(open);
      else lapsed.push({ anchor, block: result.block });
    }
    edits.push(...lateToText(request, late).map((draft): RequestEdit => ({ ...draft, rule, changes: "shape" })));
  }
  if (lapsed.length > 0) counters.add("recipe_lapsed", {}, lapsed.length);
  made.lapse(lapsed);
  return edits;
}

interface PlacedMade {
  readonly anchor: string;
  readonly result: MadeResult;
  readonly row: Row;
  readonly call: ToolCall;
}

function placesIn({ request, join }: Read, madeAt: (anchor: string) => readonly MadeResult[]): PlacedMade[] {
  const { hashes } = join.lane.chain;
  return request.rows.flatMap((row) => {
    const anchor = hashes[row.index]!;
    return madeAt(anchor).flatMap((result) => {
      const call = row.blocks[result.block];
      return call?.kind === "call" ? [{ anchor, result, row, call }] : [];
    });
  });
}

/** The provider may still have the made-up result in front of something: in its cache, or under a seal of thinking. */
function isHeld({ model, rows }: WireRequest, { index }: Row, result: MadeResult, now: number): boolean {
  if (model !== result.model) return false;
  const binds = boundThinking(model) && rows.slice(index + 1).some(hasSeal);
  return binds || now < result.until;
}

function hasSeal({ blocks }: Row): boolean {
  return blocks.some((block) => block.kind === "thinking" && block.seal !== null);
}
