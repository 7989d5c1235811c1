/** Earlier repairs of a history that its faults alone do not bring about again (DG-25, DG-26). */
import { lateToText, type UnansweredCall, unansweredIn } from "../dispatch/made-results.ts";
import { boundThinking } from "../dispatch/models.ts";
import { lapsedRecipes, replayEdits } from "../dispatch/recipe.ts";
import { rulesOf } from "../dispatch/rules/rules.ts";
import type { Row, ToolCall, WireRequest } from "../wire/request.ts";
import type { RequestEdit } from "../wire/request-edit.ts";
import type { EngineParts, Read } from "./engine-parts.ts";
import type { PowerOf } from "./judge-request.ts";
import type { MadePlace, MadeResult, MadeResults } from "./made-results.ts";

/** Edits of the host's own body, to be made before it is judged. */
export function editsToReplay(parts: EngineParts, read: Read, powerOf: PowerOf): readonly RequestEdit[] {
  return [...tailEdits(parts, read), ...lateResultEdits(parts, read, powerOf)];
}

function tailEdits({ recipes, counters }: EngineParts, { request, join }: Read): readonly RequestEdit[] {
  if (recipes.isEmpty) return [];
  const { chain } = join.lane;
  const at = (anchor: string) => recipes.at(anchor);
  // Counted on the turn that shows it; the recipe stays for a branch that has the reply.
  for (const { rule } of lapsedRecipes(request, chain, at, join.rowsSeen)) counters.add("recipe_lapsed", { rule });
  return replayEdits(request, chain, at);
}

/**
 * A real result that came late becomes text, so that the made-up one stands where the provider's cache has it; the rule
 * that made it makes it again. With the cache gone, or the real one put into its place by the host, that is over.
 */
function lateResultEdits({ made, clock, counters }: EngineParts, read: Read, powerOf: PowerOf): RequestEdit[] {
  const places = made.isEmpty ? [] : placesIn(read, made);
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
      else {
        lapsed.push({ anchor, block: result.block });
        counters.add("recipe_lapsed", { rule });
      }
    }
    edits.push(...lateToText(request, late).map((draft): RequestEdit => ({ ...draft, rule, changes: "shape" })));
  }
  made.lapse(lapsed);
  return edits;
}

interface PlacedMade {
  readonly anchor: string;
  readonly result: MadeResult;
  readonly row: Row;
  readonly call: ToolCall;
}

/** Looks at every row of every turn, so a row without one costs a look into a map. */
function placesIn({ request, join }: Read, made: MadeResults): PlacedMade[] {
  const places: PlacedMade[] = [];
  join.lane.chain.hashes.forEach((anchor, index) => {
    for (const result of made.at(anchor)) {
      const row = request.rows[index]!;
      const call = row.blocks[result.block];
      if (call?.kind === "call") places.push({ anchor, result, row, call });
    }
  });
  return places;
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
